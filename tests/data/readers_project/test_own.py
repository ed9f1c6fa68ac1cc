import pytest
import torch


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_both_parts_meet_on_the_second_gpu():
    first = torch.nn.Linear(4, 4, device="cuda:0")
    second = torch.nn.Linear(4, 2, device="cuda:1")
    assert second(first(torch.ones(1, 4, device="cuda:0"))).shape == (1, 2)

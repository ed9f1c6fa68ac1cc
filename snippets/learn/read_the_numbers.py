"""The numbers of the message, added and subtracted.

报错里的几个数，加一加，减一减。
"""

tried, total, free, process = 22.78, 31.47, 12.73, 18.73
tensors, shelf = 9.08, 9.35

print(f"other processes:         {total - free - process:5.2f} GiB")
#> other processes:          0.01 GiB
print(f"context and libraries:   {process - tensors - shelf:5.2f} GiB")
#> context and libraries:    0.30 GiB
print(f"could be handed out now: {free + shelf:5.2f} GiB")
#> could be handed out now: 22.08 GiB
print(f"requested:               {tried:5.2f} GiB")
#> requested:               22.78 GiB

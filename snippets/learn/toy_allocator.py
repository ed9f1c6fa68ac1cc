"""A toy allocator: what is freed goes onto a shelf and not to the driver.

玩具分配器：释放的放回货架，不还给驱动。
"""

shelf, reserved, allocated = [], 0, 0


def create(size):
    global reserved, allocated
    fits = [block for block in shelf if block >= size]
    if fits:
        shelf.remove(min(fits))
    else:
        reserved += size
    allocated += size


def delete(size):
    global allocated
    shelf.append(size)
    allocated -= size


create(100)
delete(100)
print(allocated, reserved)
#> 0 100
create(100)
print(allocated, reserved)
#> 100 100
create(30)
print(allocated, reserved)
#> 130 130

"""The k smallest of some values, each with a number, by Hoare's quickselect. For other kernels."""

from nbembed.kernels.codegen.compiling import inlined


@inlined
def keep_smallest_of(values, columns, count, k):
    """Move the k smallest of the first ``count`` values to the front; return their largest."""
    low, high = 0, count - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                columns[i], columns[j] = columns[j], columns[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    largest = values[0]
    for i in range(1, k):
        largest = max(largest, values[i])
    return largest

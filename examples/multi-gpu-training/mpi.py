# SPDX-License-Identifier: Apache-2.0
"""The calls of MPI that the training needs, from Open MPI's library itself, so that the example needs no other package.
mpi4py has all calls: MPI.COMM_WORLD.Get_rank(), Get_size(), allreduce()."""
import atexit
import ctypes

library = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)


def handle(name):
    """Open MPI's predefined handles are addresses of objects in its library."""
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, name)))


WORLD, DOUBLE, SUM = handle("ompi_mpi_comm_world"), handle("ompi_mpi_double"), handle("ompi_mpi_op_sum")


def start():
    """This process's rank, and the number of processes."""
    library.MPI_Init(None, None)
    atexit.register(library.MPI_Finalize)
    rank, size = ctypes.c_int(), ctypes.c_int()
    library.MPI_Comm_rank(WORLD, ctypes.byref(rank))
    library.MPI_Comm_size(WORLD, ctypes.byref(size))
    return rank.value, size.value


def sum_over_ranks(values):
    """The sum of each value over all processes, in all processes."""
    count = len(values)
    sent, received = (ctypes.c_double * count)(*values), (ctypes.c_double * count)()
    library.MPI_Allreduce(sent, received, count, DOUBLE, SUM, WORLD)
    return list(received)

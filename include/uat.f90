! SPDX-License-Identifier: MIT
!
! uat for Fortran: an interface to the C functions of uat.h, uat/pattern.h, uat/global.h, uat/object.h. Compile this file with the
! program, because a module file (.mod) suits one compiler only:
!
!     gfortran -frecursive uat.f90 program.f90 $(pkg-config --libs uat)
!
! The names, arguments and rules are those of the C headers; docs/running.md, "Other languages", has an example and the
! rules that only Fortran needs. In short:
!   - A task is a procedure of a module, with bind(c) and `recursive`. An internal procedure cannot be a task.
!   - The handle of a child is a local variable. The variable for a child's result has the attribute `target`, and is
!     passed as c_loc(x).
!   - Variables of modules, and local variables with `save` or an initial value, exist once in each process. Allocatable
!     arrays are in the heap of one process. So a task must not use them across a spawn, a join or a wait.
!   - Coarrays and OpenMP directives must not enclose a spawn, a join or a wait.
module uat
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_size_t
    implicit none
    private :: c_int, c_int64_t, c_ptr, c_size_t

    ! enum uat_distribution, enum uat_access
    integer(c_int), parameter :: UAT_BLOCKED = 0, UAT_CYCLIC = 1
    integer(c_int), parameter :: UAT_READ = 1, UAT_WRITE = 2, UAT_READ_WRITE = 3

    ! The handle of a child, and a group of children: memory in the task's frame, which belongs to the library.
    type, bind(c) :: uat_task
        private
        integer(c_int64_t) :: words(3)
    end type
    type, bind(c) :: uat_group
        private
        integer(c_int64_t) :: words(10)
    end type

    abstract interface
        ! A task's body. arg: the task's own copy of the argument; result: its result buffer, or a null pointer.
        subroutine uat_fn(arg, result) bind(c)
            import :: c_ptr
            type(c_ptr), value :: arg, result
        end subroutine
        ! The body of a loop: iterations begin to end - 1.
        subroutine uat_for_fn(begin, end, arg) bind(c)
            import :: c_int64_t, c_ptr
            integer(c_int64_t), value :: begin, end
            type(c_ptr), value :: arg
        end subroutine
    end interface

    interface
        integer(c_int) function uat_init() bind(c)
            import :: c_int
        end function
        integer(c_int) function uat_finalize() bind(c)
            import :: c_int
        end function
        integer(c_int) function uat_rank() bind(c)
            import :: c_int
        end function
        integer(c_int) function uat_size() bind(c)
            import :: c_int
        end function
        integer(c_int) function uat_barrier() bind(c)
            import :: c_int
        end function
        integer(c_int64_t) function uat_time_ns() bind(c)
            import :: c_int64_t
        end function

        integer(c_int) function uat_run(root, arg, arg_size, result, result_size) bind(c)
            import :: c_int, c_ptr, c_size_t, uat_fn
            procedure(uat_fn) :: root
            type(c_ptr), value :: arg, result
            integer(c_size_t), value :: arg_size, result_size
        end function

        ! The handles are targets, so that the compiler knows that other calls, too, may change them.
        subroutine uat_spawn(t, fn, arg, arg_size, result, result_size) bind(c)
            import :: c_ptr, c_size_t, uat_fn, uat_task
            type(uat_task), intent(inout), target :: t
            procedure(uat_fn) :: fn
            type(c_ptr), value :: arg, result
            integer(c_size_t), value :: arg_size, result_size
        end subroutine
        subroutine uat_spawn_on(t, rank, fn, arg, arg_size, result, result_size) bind(c)
            import :: c_int, c_ptr, c_size_t, uat_fn, uat_task
            type(uat_task), intent(inout), target :: t
            integer(c_int), value :: rank
            procedure(uat_fn) :: fn
            type(c_ptr), value :: arg, result
            integer(c_size_t), value :: arg_size, result_size
        end subroutine
        subroutine uat_join(t) bind(c)
            import :: uat_task
            type(uat_task), intent(inout), target :: t
        end subroutine

        subroutine uat_group_begin(group) bind(c)
            import :: uat_group
            type(uat_group), intent(inout), target :: group
        end subroutine
        subroutine uat_group_spawn(group, fn, arg, arg_size) bind(c)
            import :: c_ptr, c_size_t, uat_fn, uat_group
            type(uat_group), intent(inout), target :: group
            procedure(uat_fn) :: fn
            type(c_ptr), value :: arg
            integer(c_size_t), value :: arg_size
        end subroutine
        subroutine uat_group_wait(group) bind(c)
            import :: uat_group
            type(uat_group), intent(inout), target :: group
        end subroutine

        ! uat/pattern.h. The range is [begin, end), as in C. grain: 0, or the least number of iterations of a call.
        subroutine uat_for(begin, end, grain, body, arg, arg_size) bind(c)
            import :: c_int64_t, c_ptr, c_size_t, uat_for_fn
            integer(c_int64_t), value :: begin, end, grain
            procedure(uat_for_fn) :: body
            type(c_ptr), value :: arg
            integer(c_size_t), value :: arg_size
        end subroutine

        ! uat/global.h
        type(c_ptr) function uat_global_alloc(bytes, distribution, block) bind(c)
            import :: c_int, c_ptr, c_size_t
            integer(c_size_t), value :: bytes, block
            integer(c_int), value :: distribution
        end function
        integer(c_int) function uat_global_free(array) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: array
        end function
        integer(c_int) function uat_global_home(p) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: p
        end function
        type(c_ptr) function uat_global_checkout(p, bytes, access) bind(c)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: p
            integer(c_size_t), value :: bytes
            integer(c_int), value :: access
        end function
        subroutine uat_global_checkin(p, bytes, access) bind(c)
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: p
            integer(c_size_t), value :: bytes
            integer(c_int), value :: access
        end subroutine
        subroutine uat_global_get(local, global, bytes) bind(c)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: local, global
            integer(c_size_t), value :: bytes
        end subroutine
        subroutine uat_global_put(global, local, bytes) bind(c)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: global, local
            integer(c_size_t), value :: bytes
        end subroutine
        ! uat/object.h
        type(c_ptr) function uat_global_object_alloc(bytes) bind(c)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: bytes
        end function
        subroutine uat_global_object_free(object) bind(c)
            import :: c_ptr
            type(c_ptr), value :: object
        end subroutine
        integer(c_int64_t) function uat_atomic_fetch_add(word, addend) bind(c)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: word
            integer(c_int64_t), value :: addend
        end function
        integer(c_int64_t) function uat_atomic_load(word) bind(c)
            import :: c_int64_t, c_ptr
            type(c_ptr), value :: word
        end function
    end interface

contains

    ! The global address that is n elements, of `size` bytes each, after p: for checkouts of a part of an array.
    pure type(c_ptr) function uat_address(p, n, size)
        type(c_ptr), intent(in) :: p
        integer(c_int64_t), intent(in) :: n
        integer(c_size_t), intent(in) :: size
        uat_address = transfer(transfer(p, 0_c_int64_t) + n * int(size, c_int64_t), uat_address)
    end function
end module

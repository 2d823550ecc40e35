! SPDX-License-Identifier: MIT
! Description: a Fortran program. Its tasks, a group, a loop, global memory and an atomic give the right values, on workers
! that steal at each spawn, and on two hosts. With the argument "saved", a task breaks a rule: it keeps a variable in
! static memory.
module tasks
    use, intrinsic :: iso_c_binding
    use uat
    implicit none
    integer(c_long), parameter :: depth = 18, fib_of_depth = 2584, children = 50, count = 20000
    type, bind(c) :: place
        type(c_ptr) :: counter, numbers
    end type

contains

    recursive subroutine fib(arg, result) bind(c)
        type(c_ptr), value :: arg, result
        integer(c_long), pointer :: n, sum
        integer(c_long), target :: less(2), a, b
        integer(c_long) :: kept(64)
        type(uat_task) :: child
        call c_f_pointer(arg, n)
        call c_f_pointer(result, sum)
        if (n < 2) then
            sum = n
            return
        end if
        less = [n - 1, n - 2]
        kept = n ! an array in the frame moves with the task
        call uat_spawn(child, fib, c_loc(less(1)), c_sizeof(less(1)), c_loc(a), c_sizeof(a))
        call fib(c_loc(less(2)), c_loc(b))
        call uat_join(child)
        sum = a + b
        if (any(kept /= n)) sum = -1
    end subroutine

    recursive subroutine add_one(arg, result) bind(c)
        type(c_ptr), value :: arg, result
        type(c_ptr), pointer :: counter
        integer(c_int64_t) :: before
        call c_f_pointer(arg, counter)
        before = uat_atomic_fetch_add(counter, 1_c_int64_t)
        if (before < 0 .or. c_associated(result, arg)) error stop "uat_atomic_fetch_add"
    end subroutine

    recursive subroutine square(begin, end, arg) bind(c)
        integer(c_int64_t), value :: begin, end
        type(c_ptr), value :: arg
        type(c_ptr), pointer :: numbers
        type(c_ptr) :: part
        real(c_double), pointer :: x(:)
        integer(c_int64_t) :: i
        call c_f_pointer(arg, numbers)
        part = uat_address(numbers, begin, 8_c_size_t)
        call c_f_pointer(uat_global_checkout(part, 8_c_size_t * (end - begin), UAT_WRITE), x, [end - begin])
        do i = begin, end - 1
            x(i - begin + 1) = real(i, c_double)**2
        end do
        call uat_global_checkin(part, 8_c_size_t * (end - begin), UAT_WRITE)
    end subroutine

    recursive subroutine where(arg, result) bind(c)
        type(c_ptr), value :: arg, result
        integer(c_int), pointer :: rank
        call c_f_pointer(result, rank)
        rank = merge(uat_rank(), -1, c_associated(arg))
    end subroutine

    ! arg: the places of a counter and of an array. Result: the number of wrong values.
    recursive subroutine root(arg, result) bind(c)
        type(c_ptr), value :: arg, result
        type(place), pointer :: global
        integer(c_int), pointer :: wrong
        integer(c_long), target :: n, value
        integer(c_int), target :: rank
        integer(c_int64_t) :: i
        type(uat_group) :: group
        type(uat_task) :: child
        type(c_ptr) :: object
        real(c_double), target :: x
        call c_f_pointer(arg, global)
        call c_f_pointer(result, wrong)
        wrong = 0
        n = depth
        call fib(c_loc(n), c_loc(value))
        if (value /= fib_of_depth) wrong = wrong + 1

        call uat_group_begin(group)
        do i = 1, children
            call uat_group_spawn(group, add_one, c_loc(global%counter), c_sizeof(global%counter))
        end do
        call uat_group_wait(group)
        if (uat_atomic_load(global%counter) /= children) wrong = wrong + 2

        call uat_for(0_c_int64_t, count, 0_c_int64_t, square, c_loc(global%numbers), c_sizeof(global%numbers))
        do i = 0, count - 1, 99
            call uat_global_get(c_loc(x), uat_address(global%numbers, i, 8_c_size_t), 8_c_size_t)
            if (x /= real(i, c_double)**2) wrong = wrong + 100
        end do

        object = uat_global_object_alloc(8_c_size_t)
        x = 0.5_c_double
        call uat_global_put(object, c_loc(x), 8_c_size_t)
        call uat_spawn_on(child, uat_size() - 1, where, c_loc(n), c_sizeof(n), c_loc(rank), c_sizeof(rank))
        call uat_join(child)
        if (rank /= uat_size() - 1) wrong = wrong + 4
        x = 0
        call uat_global_get(c_loc(x), object, 8_c_size_t)
        if (x /= 0.5_c_double) wrong = wrong + 8
        call uat_global_object_free(object)
    end subroutine

    recursive subroutine saved(arg, result) bind(c)
        type(c_ptr), value :: arg, result
        integer(c_int), pointer :: wrong
        integer, save :: calls = 0
        calls = calls + 1
        call c_f_pointer(result, wrong)
        wrong = merge(calls - 1, -1, c_associated(arg))
    end subroutine
end module

program main
    use tasks
    implicit none
    type(place), target :: global
    integer(c_int), target :: wrong
    integer(c_int) :: rc
    integer(c_int64_t) :: start
    if (uat_init() < 0) error stop "uat_init"
    start = uat_time_ns()
    wrong = -1
    global%counter = uat_global_alloc(8_c_size_t, UAT_BLOCKED, 0_c_size_t)
    global%numbers = uat_global_alloc(8_c_size_t * count, UAT_CYCLIC, 0_c_size_t)
    if (.not. (c_associated(global%counter) .and. c_associated(global%numbers))) error stop "uat_global_alloc"
    if (uat_global_home(global%counter) /= 0) error stop "uat_global_home"
    if (command_argument_count() == 0) then
        rc = uat_run(root, c_loc(global), c_sizeof(global), c_loc(wrong), c_sizeof(wrong))
    else
        rc = uat_run(saved, c_loc(global), c_sizeof(global), c_loc(wrong), c_sizeof(wrong))
    end if
    if (rc < 0) error stop "uat_run"
    if (uat_barrier() < 0) error stop "uat_barrier"
    if (uat_time_ns() < start) error stop "uat_time_ns"
    if (wrong /= 0) print *, "rank", uat_rank(), ": wrong", wrong
    if (uat_global_free(global%numbers) < 0) error stop "uat_global_free"
    if (uat_finalize() < 0) error stop "uat_finalize"
    if (wrong /= 0) error stop 1
end program

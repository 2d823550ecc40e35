/* SPDX-License-Identifier: MIT */
/* Imports work.cppm. */
import work;

int main()
{
    job here;
    global_vector<long> v(100);
    long three = go([] { return pair(1L); }), sum = go([] { return added(10L) + given(10L); });
    long filled = go([s = v.span()] {
        fill(s, 2L);
        return total(s);
    });
    return three != 3 || sum != 90 || filled != 200;
}

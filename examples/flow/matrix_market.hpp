/* SPDX-License-Identifier: MIT */
/* The lower triangle of a sparse matrix in a Matrix Market file (Boisvert, Pozo and Remington, NIST 1996). */
#ifndef EXAMPLES_FLOW_MATRIX_MARKET_HPP
#define EXAMPLES_FLOW_MATRIX_MARKET_HPP

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace matrix_market
{

struct entry {
    std::int64_t row, column; /* from 0 on */
    double value;
};

/* Row i has the entries start[i] to start[i + 1] - 1, in the order of columns. */
struct matrix {
    std::vector<std::int64_t> start, column;
    std::vector<double> value;
};

/* The matrix of these entries, without the entries above the diagonal. Adds entries at the same place. Throws if an
 * element of the diagonal is 0. */
inline matrix lower_triangle(std::int64_t n, std::vector<entry> &entries)
{
    matrix m;
    std::sort(entries.begin(), entries.end(),
              [](const entry &a, const entry &b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
    auto e = entries.begin();
    m.start.push_back(0);
    for (std::int64_t row = 0; row < n; row++) {
        for (; e != entries.end() && e->row == row; e++) {
            if (e->column > row)
                continue;
            if (std::int64_t(m.column.size()) > m.start.back() && m.column.back() == e->column) {
                m.value.back() += e->value;
                continue;
            }
            m.column.push_back(e->column);
            m.value.push_back(e->value);
        }
        if (std::int64_t(m.column.size()) == m.start.back() || m.column.back() != row || m.value.back() == 0)
            throw std::runtime_error("element " + std::to_string(row + 1) + " of the diagonal is 0");
        m.start.push_back(std::int64_t(m.column.size()));
    }
    return m;
}

/* Reads a file line by line. */
class reader
{
  public:
    explicit reader(const std::string &name) : name_(name), file_(name)
    {
        if (!file_)
            throw std::runtime_error(name + " cannot be opened: " + std::strerror(errno));
    }
    /* The next line. */
    std::istringstream next()
    {
        std::string line;
        number_++;
        if (!std::getline(file_, line))
            refuse(file_.bad() ? "it cannot be read" : "the file ends too early");
        return std::istringstream(line);
    }
    /* The next line that is neither empty nor a comment. */
    std::istringstream next_data()
    {
        for (;;) {
            std::istringstream line = next();
            int c = (line >> std::ws).peek();
            if (c != '%' && c != std::istringstream::traits_type::eof())
                return line;
        }
    }
    [[noreturn]] void refuse(const std::string &why) const
    {
        throw std::runtime_error(name_ + ", line " + std::to_string(number_) + ": " + why);
    }

  private:
    std::string name_;
    std::ifstream file_;
    std::int64_t number_ = 0;
};

/* The lower triangle of a file's matrix. Throws if the file does not hold a square, real matrix by coordinates. */
inline matrix read(const std::string &name)
{
    constexpr std::int64_t most = INT64_C(1) << 31;
    reader file(name);
    std::string banner, object, format, field, symmetry;
    file.next() >> banner >> object >> format >> field >> symmetry;
    if (banner != "%%MatrixMarket" || object != "matrix" || format != "coordinate")
        file.refuse("it does not begin with '%%MatrixMarket matrix coordinate'");
    if ((field != "real" && field != "integer" && field != "pattern") ||
        (symmetry != "general" && symmetry != "symmetric"))
        file.refuse("a matrix is to be real, integer or pattern, and general or symmetric");
    std::int64_t rows = 0, columns = 0, count = -1;
    if (!(file.next_data() >> rows >> columns >> count) || rows < 1 || rows > most || count < 0 || count > most)
        file.refuse("a line with rows, columns and entries is to stand here");
    if (rows != columns)
        file.refuse("the matrix is not square");
    std::vector<entry> entries;
    for (std::int64_t i = 0; i < count; i++) {
        entry e = {0, 0, 1};
        auto line = file.next_data();
        line >> e.row >> e.column;
        if (field != "pattern")
            line >> e.value;
        if (!line || e.row < 1 || e.row > rows || e.column < 1 || e.column > rows)
            file.refuse("an entry of the matrix is to stand here");
        entries.push_back({e.row - 1, e.column - 1, e.value});
    }
    return lower_triangle(rows, entries);
}

} // namespace matrix_market

#endif

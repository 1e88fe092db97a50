#include "deck/toml_adaptor.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

/* toml++ asserts (or, with NDEBUG, lets clang assume) what malformed text breaks, such as `a = ]`,
 * though the code after each assertion refuses that text: neither may be compiled in. */
#undef NDEBUG
#define TOML_ASSERT(truth)     static_cast<void>(0)
#define TOML_EXCEPTIONS        0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_UNDEF_MACROS      1
#include <toml++/toml.h>

struct cw_toml {
  toml::table root;
};

namespace {

const toml::node *unwrap(const cw_toml_node *node) {
  return reinterpret_cast<const toml::node *>(node);
}

const cw_toml_node *wrap(const toml::node *node) {
  return reinterpret_cast<const cw_toml_node *>(node);
}

/* Nodes of the file carry no path; those of an override carry its number as path. */
cw_toml_place place_of(const toml::source_region &region) {
  if (region.path && !region.path->empty())
    return {-1, std::atoi(region.path->c_str())};
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

cw_status fail(cw_toml_fault *fault, cw_toml_place place, std::string_view message) {
  fault->place = place;
  std::snprintf(fault->message, sizeof fault->message, "%.*s", static_cast<int>(message.size()),
                message.data());
  return CW_ERROR_INPUT;
}

/* Bytes of the UTF-8 character at the text's start (The Unicode Standard, table 3-7), or 0. */
size_t character_size(std::string_view text) {
  auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  unsigned lead = byte(0);
  if (lead < 0x80)
    return lead == '\t' || lead == '\n' || lead == '\r' || (lead >= 0x20 && lead != 0x7f);
  size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (lead < 0xc2 || lead > 0xf4 || byte(1) < low || byte(1) > high)
    return 0;
  for (size_t k = 2; k < size; k++)
    if (byte(k) < 0x80 || byte(k) > 0xbf)
      return 0;
  return size;
}

/* The first byte that no TOML text may hold, as a fault; columns count characters. */
bool find_bad_byte(std::string_view text, cw_toml_fault *fault) {
  cw_toml_place place = {1, 1};
  while (!text.empty()) {
    size_t size = character_size(text);
    if (size == 0) {
      fault->place = place;
      std::snprintf(fault->message, sizeof fault->message, "found byte 0x%02x; expected UTF-8 text",
                    static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      return true;
    }
    place = text[0] == '\n' ? cw_toml_place{place.line + 1, 1}
                            : cw_toml_place{place.line, place.column + 1};
    text.remove_prefix(size);
  }
  return false;
}

/* Follows the text just far enough to tell strings and comments from the rest, and refuses what
 * toml++ must not see: keys of many parts (its trees are freed recursively) and, outside strings,
 * characters beyond ASCII (it takes some for impossible and TOML has no use for them). */
class text_check {
public:
  text_check(std::string_view text, cw_toml_fault *fault) : text_(text), fault_(fault) {}

  /* True if the text may be parsed. */
  bool passes() {
    int dots = 0; /* in a run of key parts, which ends at a line's end or at one of , = [ ] { } */
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '#')
        while (at_ < text_.size() && text_[at_] != '\n')
          step();
      else if (c == '"' || c == '\'') {
        if (!skip_string(c))
          return false;
      } else {
        if (is_foreign())
          return refuse("found a character beyond ASCII; expected it in quotes");
        dots = std::strchr(",=[]{}\n", c) ? 0 : dots + (c == '.');
        if (dots >= CW_TOML_MAX_DEPTH)
          return refuse("found a key of too many parts; expected at most 32");
        step();
      }
    }
    return true;
  }

private:
  bool is_foreign() const {
    return at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80;
  }

  bool refuse(std::string_view message) {
    fail(fault_, {line_, column_}, message);
    return false;
  }

  void step() {
    bool ends_line = text_[at_] == '\n';
    bool ends_character = ++at_ == text_.size() || (text_[at_] & 0xc0) != 0x80;
    if (ends_line)
      line_++, column_ = 1;
    else
      column_ += ends_character;
  }

  /* After a backslash; one at a line's end joins the next line's first character. */
  bool skip_escape() {
    bool joins = false;
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]))
      joins = true, step();
    if (is_foreign())
      return refuse("found a character beyond ASCII after a backslash; expected an "
                    "escape or an ASCII character");
    if (!joins && at_ < text_.size())
      step();
    return true;
  }

  bool skip_string(char quote) {
    const std::string triple(3, quote);
    bool multiline = text_.substr(at_, 3) == triple;
    for (int k = 0; k < (multiline ? 3 : 1); k++)
      step();
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (multiline ? text_.substr(at_, 3) == triple : c == quote || c == '\n') {
        do
          step();
        while (multiline && at_ < text_.size() && text_[at_] == quote);
        return true;
      }
      step();
      if (c == '\\' && quote == '"' && !skip_escape())
        return false;
    }
    return true;
  }

  std::string_view text_;
  cw_toml_fault *fault_;
  size_t at_ = 0;
  int line_ = 1, column_ = 1;
};

bool is_bare_word(std::string_view value) {
  if (value.empty() || std::isdigit(static_cast<unsigned char>(value[0])))
    return false;
  for (char c : value)
    if (!std::isalnum(static_cast<unsigned char>(c)) && !std::strchr("_-+./:%", c))
      return false;
  return std::isalpha(static_cast<unsigned char>(value[0])) || std::strchr("_./", value[0]);
}

/* The one value of the text `v = VALUE`; on return `parsed` owns it. */
toml::node *parse_value(const std::string &source, std::string_view value, toml::table &parsed) {
  std::string text = "v = " + std::string(value);
  cw_toml_fault bad;
  if (find_bad_byte(text, &bad) || text.find('\n') != std::string::npos)
    return nullptr;
  if (!text_check(text, &bad).passes())
    return nullptr;
  toml::parse_result result = toml::parse(text, source);
  if (!result && is_bare_word(value))
    result = toml::parse("v = '" + std::string(value) + "'", source);
  if (!result)
    return nullptr;
  parsed = std::move(result).table();
  return parsed.size() == 1 ? parsed.get("v") : nullptr;
}

toml::node *find_labelled(toml::array &list, std::string_view label) {
  for (size_t k = 0; k < list.size(); k++) {
    toml::table *entry = list[k].as_table();
    if (!entry)
      continue;
    std::string name = (*entry)["label"].value_or("s" + std::to_string(k + 1));
    if (name == label)
      return entry;
  }
  return nullptr;
}

std::string_view next_part(std::string_view &path) {
  size_t dot = path.find('.');
  std::string_view part = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return part;
}

/* The table that holds the last part of the path, which is left in `path`. */
toml::table *find_parent(toml::table &root, std::string_view &path) {
  toml::table *table = &root;
  while (path.find('.') != std::string_view::npos) {
    std::string_view part = next_part(path);
    if (!table->contains(part))
      table->insert(part, toml::table{});
    toml::node *next = table->get(part);
    if (toml::array *list = next->as_array()) {
      if (path.find('.') == std::string_view::npos)
        return nullptr;
      next = find_labelled(*list, next_part(path));
    }
    table = next ? next->as_table() : nullptr;
    if (!table)
      return nullptr;
  }
  return table;
}

/* Moving a node keeps its source region; copying it would not. */
void move_into(toml::table &table, std::string_view name, toml::node &node) {
  node.visit([&](auto &typed) { table.insert_or_assign(name, std::move(typed)); });
}

} // namespace

cw_status cw_toml_parse(const char *text, size_t length, cw_toml **tree, cw_toml_fault *fault) {
  *tree = nullptr;
  std::string_view view(text, length);
  if (view.substr(0, 3) == "\xef\xbb\xbf")
    view.remove_prefix(3); /* a byte-order mark */
  if (find_bad_byte(view, fault))
    return CW_ERROR_INPUT;
  if (!text_check(view, fault).passes())
    return CW_ERROR_INPUT;
  toml::parse_result result = toml::parse(view);
  if (!result) {
    const toml::parse_error &error = result.error();
    cw_toml_place place = place_of(error.source());
    return fail(fault, place, error.description());
  }
  *tree = new (std::nothrow) cw_toml{std::move(result).table()};
  return *tree ? CW_OK : CW_ERROR_MEMORY;
}

void cw_toml_destroy(cw_toml *tree) {
  delete tree;
}

cw_status cw_toml_override(cw_toml *tree, int number, const char *path, const char *value,
                           cw_toml_fault *fault) {
  cw_toml_place place = {-1, number};
  std::string_view name(path);
  toml::table parsed;
  toml::node *node = parse_value(std::to_string(number), value, parsed);
  if (!node)
    return fail(fault, place,
                "found a value that is not TOML; expected a number, true or "
                "false, a quoted string, a list or a single word");
  toml::table *table = find_parent(tree->root, name);
  if (!table)
    return fail(fault, place,
                "found a path that names no table of this deck; expected "
                "section.key or particles.species.LABEL.key");
  move_into(*table, name, *node);
  return CW_OK;
}

const cw_toml_node *cw_toml_root(const cw_toml *tree) {
  return wrap(&tree->root);
}

cw_toml_type cw_toml_node_type(const cw_toml_node *node) {
  switch (unwrap(node)->type()) {
  case toml::node_type::table:
    return CW_TOML_TABLE;
  case toml::node_type::array:
    return CW_TOML_ARRAY;
  case toml::node_type::string:
    return CW_TOML_STRING;
  case toml::node_type::integer:
    return CW_TOML_INTEGER;
  case toml::node_type::floating_point:
    return CW_TOML_FLOAT;
  case toml::node_type::boolean:
    return CW_TOML_BOOL;
  default:
    return CW_TOML_DATE;
  }
}

cw_toml_place cw_toml_node_place(const cw_toml_node *node) {
  return place_of(unwrap(node)->source());
}

size_t cw_toml_count(const cw_toml_node *node) {
  if (const toml::table *table = unwrap(node)->as_table())
    return table->size();
  if (const toml::array *list = unwrap(node)->as_array())
    return list->size();
  return 0;
}

const cw_toml_node *cw_toml_item(const cw_toml_node *list, size_t index) {
  const toml::array *items = unwrap(list)->as_array();
  return items && index < items->size() ? wrap(items->get(index)) : nullptr;
}

const cw_toml_node *cw_toml_find(const cw_toml_node *table, const char *path) {
  const toml::node *node = unwrap(table);
  std::string_view rest(path);
  while (node && !rest.empty()) {
    const toml::table *parent = node->as_table();
    node = parent ? parent->get(next_part(rest)) : nullptr;
  }
  return node ? wrap(node) : nullptr;
}

void cw_toml_each(const cw_toml_node *table, cw_toml_visit *visit, void *user) {
  const toml::table *members = unwrap(table)->as_table();
  if (!members)
    return;
  for (auto &&[key, value] : *members) {
    std::string name(key.str());
    cw_toml_place place = place_of(key.source());
    cw_toml_place own = place_of(value.source());
    visit(user, name.c_str(), own.line < 0 ? own : place, wrap(&value));
  }
}

const char *cw_toml_string(const cw_toml_node *node, size_t *length) {
  const std::string &text = unwrap(node)->as_string()->get();
  *length = text.size();
  return text.c_str();
}

int64_t cw_toml_integer(const cw_toml_node *node) {
  return unwrap(node)->as_integer()->get();
}
double cw_toml_float(const cw_toml_node *node) {
  return unwrap(node)->as_floating_point()->get();
}
int cw_toml_bool(const cw_toml_node *node) {
  return unwrap(node)->as_boolean()->get();
}

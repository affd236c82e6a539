/* What the plain conditions of a scheme mean; the same as `holds` in core/schemes/conditions.py. */
const NONE = "none";

export function holds(plain, values) {
  if ("all" in plain) return plain.all.every((part) => holds(part, values));
  if ("any" in plain) return plain.any.some((part) => holds(part, values));
  if ("not" in plain) return !holds(plain.not, values);
  const value = Object.hasOwn(values, plain.aspect) ? values[plain.aspect] : null;
  let said = [value];
  if (Array.isArray(value)) said = value.length ? value : [NONE];
  else if (value === null || value === undefined || value === "") said = [];
  return "answered" in plain ? said.length > 0 : said.some((each) => plain.is.includes(each));
}

/* Lists of cited sentences as people type them, as in “3, 5-7, R2:1, T3:2”. How a list is read comes with the page
   (CITATIONS in core/citations.py, which refuses what cannot be read; here it is passed over, since it may still be
   typed). A sentence is a number that sorts: that of its document times a million, and its own; turns of a
   conversation count after all documents. */
const PART = 1000000;
export const TURNS = 1000;
export const documentOf = (number) => Math.floor(number / PART);
const nameOf = (of) => (of > TURNS ? `T${of - TURNS}:` : of ? `R${of}:` : "");
export const asReference = (number) => `${nameOf(documentOf(number))}${number % PART}`;

export function asNumber(reference) {
  const [name, number] = reference.includes(":") ? reference.split(":") : ["R0", reference];
  return (Number(name.slice(1)) + (name[0] === "T" ? TURNS : 0)) * PART + Number(number);
}

const plain = (typed, ends) => typed.normalize("NFKC").replace(new RegExp(ends, "g"), "").toLowerCase();
export const saysNone = (typed, { ends, none }) => new RegExp(`^(?:${none})$`).test(plain(typed, ends));

export const saysNothing = (typed, { blank }) => new RegExp(`^${blank}$`).test(typed.normalize("NFKC"));

export function citedIn(typed, { ends, joints, separators, piece, most }) {
  const numbers = new Set();
  for (const part of plain(typed, ends).replace(new RegExp(joints, "g"), "$1").split(new RegExp(separators))) {
    const match = new RegExp(`^(?:${piece})$`).exec(part);
    if (!match) continue;
    const of = (Number(match[2] || 0) + (match[1] === "t" ? TURNS : 0)) * PART;
    const [first, last] = [Number(match[3]), Number(match[4] || match[3])];
    for (let n = first; n <= Math.min(last, first + most); n += 1) numbers.add(of + n);
  }
  return numbers;
}

/* As format_sentence_references in core/citations.py writes it: three or more in a row as a range. */
export function asTyped(numbers) {
  const runs = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last && n === last[1] + 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => {
    if (a === b) return asReference(a);
    return b === a + 1 ? `${asReference(a)}, ${asReference(b)}` : `${asReference(a)}-${b % PART}`;
  }).join(", ");
}

/* Lists of cited sentences as people type them, as in “3, 5-7, R2:1”. How a list is read comes with the page
   (CITATIONS in core/text.py, which refuses what cannot be read; here it is passed over, since it may still be
   typed). A sentence is a number that sorts: that of its document times a million, and its own. */
const PART = 1000000;
export const documentOf = (number) => Math.floor(number / PART);
export const asReference = (number) => (number < PART ? `${number}` : `R${documentOf(number)}:${number % PART}`);

export function asNumber(reference) {
  const [document_, number] = reference.includes(":") ? reference.slice(1).split(":") : ["0", reference];
  return Number(document_) * PART + Number(number);
}

export function citedIn(typed, { ends, joints, separators, piece, most }) {
  const numbers = new Set();
  const plain = typed.normalize("NFKC").replace(new RegExp(ends, "g"), "").toLowerCase();
  for (const part of plain.replace(new RegExp(joints, "g"), "$1").split(new RegExp(separators))) {
    const match = new RegExp(`^(?:${piece})$`).exec(part);
    if (!match) continue;
    const [of, first, last] = [Number(match[1] || 0) * PART, Number(match[2]), Number(match[3] || match[2])];
    for (let n = first; n <= Math.min(last, first + most); n += 1) numbers.add(of + n);
  }
  return numbers;
}

/* As format_sentence_references in core/text.py writes it: three or more in a row as a range. */
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

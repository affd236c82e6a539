/* The texts of the page whose words can be marked: places in them (code points, as marks are stored), what is
   selected in them, and the marks drawn over them. A text is one piece, or the sentences of a document, which are its
   pieces with a line end between two, or the turns of a conversation, each of which says what stands before it. The
   characters of the page are never touched, only the elements around them. */
import { all } from "./annotate.js";

const BETWEEN = "\n";
export const texts = () => all("[data-marked]");
const pieces = (text) => all("[data-piece]", text);
const count = (string) => { let n = 0; for (const each of string) n += each.length ? 1 : 0; return n; };

/* The characters of a text, which never change. */
const known = new WeakMap();
export function characters(text) {
  if (!known.has(text)) known.set(text, [...pieces(text).map((piece, index) => before(piece, index) + piece.textContent).join("")]);
  return known.get(text);
}
const before = (piece, index) => piece.dataset.before ?? (index ? BETWEEN : "");
export const words = (text, span) => characters(text).slice(span.start, span.end).join("");

/* The words of a text as places in it; by the rules of its language, which need no spaces between words. */
const split = new WeakMap();
function partsOf(string, language) {
  if (Intl.Segmenter) return new Intl.Segmenter(language, { granularity: "word" }).segment(string);
  const parts = string.match(/[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_]+/gu) || []; // Firefox before 125
  return parts.map((segment) => ({ segment, isWordLike: /^[\p{L}\p{M}\p{N}_]/u.test(segment) }));
}
export function wordsOf(text) {
  if (split.has(text)) return split.get(text);
  const language = text.closest("[lang]")?.lang || undefined;
  const found = [];
  for (const piece of pieces(text)) {
    let place = Number(piece.dataset.start);
    for (const each of partsOf(piece.textContent, language)) {
      const length = count(each.segment);
      if (each.isWordLike) found.push({ start: place, end: place + length });
      place += length;
    }
  }
  split.set(text, found);
  return found;
}

/* ---- From places to the page and back ---- */
function nodeAt(piece, units) {
  const walker = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
  let left = units;
  let last = null;
  while (walker.nextNode()) {
    last = walker.currentNode;
    if (left <= last.length) return [last, left];
    left -= last.length;
  }
  return [last || piece, last ? last.length : 0];
}
/* The range between two places of an element's text, in code units. */
export function rangeIn(element, from, to) {
  const range = new Range();
  range.setStart(...nodeAt(element, from));
  range.setEnd(...nodeAt(element, to));
  return range;
}
const unitsBefore = (piece, place) => [...piece.textContent].slice(0, Math.max(place, 0)).join("").length;
const startOf = (piece) => Number(piece.dataset.start);
const endOf = (piece) => startOf(piece) + count(piece.textContent);
const pieceAt = (text, place) => pieces(text).findLast((piece) => startOf(piece) <= place) || pieces(text)[0];

export function rangeOf(text, { start, end }) {
  const [first, last] = [pieceAt(text, start), pieceAt(text, Math.max(end - 1, start))];
  const range = new Range();
  range.setStart(...nodeAt(first, unitsBefore(first, start - first.dataset.start)));
  range.setEnd(...nodeAt(last, unitsBefore(last, end - last.dataset.start)));
  return range;
}

function placeOf(piece, node, offset) {
  const range = new Range();
  range.setStart(piece, 0);
  range.setEnd(node, offset);
  return startOf(piece) + count(range.toString());
}

/* What is selected of a text, without the space around it; null where no word is. */
export function selected() {
  const selection = window.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const touched = texts().filter((text) => range.intersectsNode(text));
  const text = touched.find((each) => each.contains(selection.anchorNode)) || touched[0];
  const within = text ? pieces(text).filter((piece) => range.intersectsNode(piece)) : [];
  if (!within.length) return null;
  const [first, last] = [within[0], within[within.length - 1]];
  let start = first.contains(range.startContainer) ? placeOf(first, range.startContainer, range.startOffset) : startOf(first);
  let end = last.contains(range.endContainer) ? placeOf(last, range.endContainer, range.endOffset) : endOf(last);
  const own = within.filter((piece) => startOf(piece) < end && endOf(piece) > start); // not what is only touched
  if (!own.length) return null;
  start = Math.max(start, startOf(own[0]));
  end = Math.min(end, endOf(own[own.length - 1]));
  const all_ = characters(text);
  while (start < end && !all_[start].trim()) start += 1;
  while (end > start && !all_[end - 1].trim()) end -= 1;
  return start < end ? { text, start, end } : null;
}

/* The word at a point of the window; null where there is none. */
export function wordAt(text, x, y) {
  const at = document.caretPositionFromPoint?.(x, y);
  const range = at ? null : document.caretRangeFromPoint?.(x, y);
  const [node, offset] = at ? [at.offsetNode, at.offset] : [range?.startContainer, range?.startOffset];
  const piece = node && (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-piece]");
  if (!piece || !text.contains(piece)) return null;
  const place = placeOf(piece, node, offset);
  return wordsOf(text).find((word) => word.start <= place && place <= word.end) || null;
}

/* What is folded and has words of a span is opened, so that they can be seen. */
export function unfold(text, { start, end }) {
  for (const piece of pieces(text).filter((each) => startOf(each) < end && endOf(each) > start)) {
    for (let at = piece.closest("details"); at && text.contains(at); at = at.parentElement.closest("details")) at.open = true;
  }
}

export function select(text, span) {
  unfold(text, span);
  const range = rangeOf(text, span);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  bringIntoView(text, range);
}

/* Scroll no more than it takes, since a text can be longer than the window. */
export function bringIntoView(text, range) {
  const box = range.getBoundingClientRect();
  const pane = text.closest("#document");
  const isOwn = pane && pane.scrollHeight > pane.clientHeight && getComputedStyle(pane).overflowY !== "visible";
  const view = isOwn ? pane.getBoundingClientRect() : { top: 0, bottom: window.innerHeight };
  const [top, bottom] = [view.top + 90, view.bottom - 120];
  const by = box.bottom > bottom ? Math.min(box.bottom - bottom, box.top - top) : Math.min(box.top - top, 0);
  if (by) (isOwn ? pane : window).scrollBy(0, by);
}

/* ---- Drawing: each span has a lane below the words, and its sign where it begins ---- */
const MOST_LANES = 5;
function inLanes(spans) {
  const ends = [];
  return [...spans].sort((a, b) => a.start - b.start || b.end - a.end).map((span) => {
    const free = ends.findIndex((end) => end <= span.start);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = span.end;
    return { ...span, lane };
  });
}

function mark(span, begins, inner) {
  const element = document.createElement("mark");
  element.className = `mark mark-${span.colour} lane-${Math.min(span.lane, MOST_LANES)}`;
  element.dataset.span = span.id;
  if (begins) element.dataset.sign = span.sign;
  element.append(inner);
  return element;
}

const drawn = new WeakMap();
function drawPiece(piece, spans) {
  const [start, end] = [startOf(piece), endOf(piece)];
  const over = spans.filter((span) => span.start < end && span.end > start);
  const sign = JSON.stringify(over);
  if ((drawn.get(piece) || "[]") === sign) return; // what is selected there stays so
  drawn.set(piece, sign);
  const letters = [...piece.textContent];
  const cuts = new Set([start, end, ...over.flatMap((span) => [span.start, span.end])]);
  const places = [...cuts].filter((place) => place >= start && place <= end).sort((a, b) => a - b);
  piece.replaceChildren(...places.slice(0, -1).map((from, index) => {
    const to = places[index + 1];
    const covering = over.filter((span) => span.start < to && span.end > from).sort((a, b) => a.lane - b.lane);
    const plain = document.createTextNode(letters.slice(from - start, to - start).join(""));
    return covering.reduce((inner, span) => mark(span, span.start === from, inner), plain);
  }));
}

/* Draw spans ({start, end, colour, sign, id}) over a text, in place of those drawn before. */
export function draw(text, spans) {
  const placed = inLanes(spans);
  for (const piece of pieces(text)) drawPiece(piece, placed);
}

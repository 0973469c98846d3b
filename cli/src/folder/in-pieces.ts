/** Characters that are there at once: as one text, a list of tens of thousands of files would be there several times over. */
const PIECE = 64 * 1024

export function* inPieces(texts: Iterable<string>): Generator<Buffer> {
  let piece = ''
  for (const text of texts) {
    piece += text
    if (piece.length < PIECE) continue
    yield Buffer.from(piece)
    piece = ''
  }
  if (piece !== '') yield Buffer.from(piece)
}

const BLOCK = 512
/** Two empty blocks end an archive. */
const END = new Uint8Array(2 * BLOCK)

/** Contents as one gzip-compressed tar file (ustar), each named by its sum. */
export async function archive(
  contents: { sha256: string; bytes: Uint8Array<ArrayBuffer> }[],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = [...contents.flatMap(({ sha256, bytes }) => entryOf(sha256, bytes)), END]
  const packed = new Blob(parts).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

function entryOf(name: string, content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const header = new Uint8Array(BLOCK)
  const write = (text: string, at: number) => header.set(new TextEncoder().encode(text), at)
  write(name, 0)
  write('0000644\0', 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  write(`${'0'.repeat(11)}\0`, 136)
  // The sum is made with blanks in its own place.
  write(' '.repeat(8), 148)
  write('0', 156)
  write('ustar\0' + '00', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const rest = content.length % BLOCK
  return rest === 0 ? [header, content] : [header, content, new Uint8Array(BLOCK - rest)]
}

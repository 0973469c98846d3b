const BLOCK = 512

/** One file of a tar archive (ustar), as pieces: its header, its content, and what fills its last block. */
export function tarEntry(name: string, content: Buffer): Buffer[] {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, 100, 'latin1')
  header.write('0000644\0', 100, 'latin1')
  header.write('0000000\0', 108, 'latin1')
  header.write('0000000\0', 116, 'latin1')
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.write(`${'0'.repeat(11)}\0`, 136, 'latin1')
  header.write('0', 156, 'latin1')
  header.write('ustar\0' + '00', 257, 'latin1')
  // The sum is made with blanks in its own place.
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  const rest = content.length % BLOCK
  return rest === 0 ? [header, content] : [header, content, Buffer.alloc(BLOCK - rest)]
}

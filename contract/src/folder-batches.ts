/** Below this a file goes with others. */
const SMALL_BYTES = 256 * 1024
const BATCH_BYTES = 4 * 1024 * 1024
const BATCH_FILES = 500

/** What goes together: large files alone, small ones with others, so that none is waited for by itself. Largest first. */
export function inBatches<File extends { size: number }>(files: File[]): File[][] {
  const batches: File[][] = []
  let [batch, bytes]: [File[], number] = [[], 0]
  for (const file of files.toSorted((a, b) => b.size - a.size)) {
    if (file.size >= SMALL_BYTES) {
      batches.push([file])
      continue
    }
    if (batch.length === 0 || bytes + file.size > BATCH_BYTES || batch.length >= BATCH_FILES) {
      ;[batch, bytes] = [[], 0]
      batches.push(batch)
    }
    batch.push(file)
    bytes += file.size
  }
  return batches
}

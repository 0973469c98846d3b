import type { Container } from 'dockerode'

/** What a command in the edge's container printed. Nothing here waits longer than the signal. */
export async function execute(
  container: Container,
  Cmd: string[],
  signal: AbortSignal,
): Promise<{ code: number | null; printed: string }> {
  const exec = await container.exec({ Cmd, AttachStdout: true, abortSignal: signal })
  const stream = await exec.start({ abortSignal: signal })
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  const { ExitCode } = await exec.inspect({ abortSignal: signal })
  return { code: ExitCode, printed: unframed(Buffer.concat(parts)) }
}

/** The engine puts eight bytes before each piece: which stream, and how long. */
function unframed(bytes: Buffer): string {
  const pieces: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    pieces.push(bytes.subarray(at + 8, end))
    at = end
  }
  return Buffer.concat(pieces).toString('utf8')
}

const FILES_AT_ONCE = 500

/** What cannot be deleted counts for nothing, and the next time takes it. */
export async function removeFiles(container: Container, paths: string[], signal: AbortSignal): Promise<void> {
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    await execute(container, ['rm', '-f', '--', ...paths.slice(at, at + FILES_AT_ONCE)], signal)
  }
}

import { spawn } from 'node:child_process'
import { request } from 'node:http'

/** Milliseconds that the same folder takes as one gzip-compressed tar file: what the upload of single contents is measured by. */
export async function sendArchive(url: string, token: string, folder: string): Promise<number> {
  const began = performance.now()
  const tar = spawn('tar', ['--create', '--gzip', '--directory', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const status = await new Promise<number>((done, fail) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' }
    const sending = request(`${url}/api/projects/folder-sessions`, { method: 'POST', headers }, (answer) => {
      answer.resume()
      answer.once('end', () => done(answer.statusCode ?? 0))
    })
    sending.once('error', fail)
    tar.stdout.pipe(sending)
  })
  if (status !== 201) throw new Error(`The archive was answered with ${status}.`)
  return performance.now() - began
}

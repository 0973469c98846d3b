import type Docker from 'dockerode'

/** A GET to the engine that an aborted signal ends: dockerode's types know no signal for `info` and `version`. */
export function askEngine<Answer>(docker: Docker, path: string, signal: AbortSignal): Promise<Answer> {
  const modem: Docker['modem'] = docker.modem
  return new Promise((resolve, reject) => {
    modem.dial({ path, method: 'GET', abortSignal: signal, statusCodes: { 200: true } }, (error, answer) => {
      if (error) reject(error)
      else resolve(answer as Answer)
    })
  })
}

import { request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'

const MADE_AT_ONCE = 6
const MARK = 'slipway.proof'

/** Containers that are made and not started, with as much about each as real ones have. */
export async function makeMany(socketPath: string, from: number, to: number): Promise<void> {
  const left = Array.from({ length: to - from }, (_, n) => from + n)
  const worker = async () => {
    for (let n = left.shift(); n !== undefined; n = left.shift()) await create(socketPath, n)
  }
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, worker))
}

async function create(socketPath: string, n: number): Promise<void> {
  const stack = `many${Math.floor(n / 5)}`
  const folder = `/srv/many/${stack}`
  const compose = (name: string, value: string) => ({ [`com.docker.compose.${name}`]: value })
  const body = {
    Image: 'busybox:1',
    Cmd: ['sleep', '9999'],
    Env: Array.from({ length: 20 }, (_, k) => `VARIABLE_${k}=${'v'.repeat(30)}${k}`),
    Labels: {
      ...{ [MARK]: 'many', filler: 'x'.repeat(2048) },
      ...compose('project', stack),
      ...compose('service', `s${n % 5}`),
      ...compose('version', '2.26.1'),
      ...compose('oneoff', 'False'),
      ...compose('project.working_dir', folder),
      ...compose('project.config_files', `${folder}/compose.yaml`),
    },
    HostConfig: { NetworkMode: 'none' },
  }
  await send(socketPath, 'POST', `/containers/create?name=many-${n}`, body)
}

export async function removeMany(socketPath: string): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`${MARK}=many`] }))
  const left: { Id: string }[] = JSON.parse(await send(socketPath, 'GET', `/containers/json?all=1&filters=${filters}`))
  const worker = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift())
      await send(socketPath, 'DELETE', `/containers/${one.Id}?force=1&v=1`).catch(() => {})
  }
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, worker))
}

function send(socketPath: string, method: string, path: string, body?: object): Promise<string> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  return new Promise((done, fail) => {
    const call = request({ socketPath, method, path, headers }, async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part as Buffer)
      const said = Buffer.concat(parts).toString()
      if ((answer.statusCode ?? 500) < 300) done(said)
      else fail(new Error(`${method} ${path}: ${answer.statusCode} ${said}`))
    })
    call.on('error', fail)
    call.end(text)
  })
}

/** The same server, further away: every byte takes so long in each direction. */
export async function farAway(host: string, port: number, oneWayMs: number) {
  const open = new Set<Socket>()
  const later = (from: Socket, to: Socket) => {
    from.on('data', (part) => setTimeout(() => to.destroyed || to.write(part), oneWayMs))
    from.on('close', () => setTimeout(() => to.destroy(), oneWayMs))
    from.on('error', () => {})
  }
  const proxy = createServer((near) => {
    const far = connect(port, host)
    for (const one of [near, far]) {
      open.add(one.setNoDelay(true))
      one.once('close', () => open.delete(one))
    }
    later(near, far)
    later(far, near)
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  return {
    port: (proxy.address() as { port: number }).port,
    open: () => open.size,
    close: () => {
      proxy.close()
      for (const one of open) one.destroy()
    },
  }
}

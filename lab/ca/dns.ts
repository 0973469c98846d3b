/** What a name answers; what is not named here is not answered. */
interface DnsAnswers {
  a?: string[]
  aaaa?: string[]
  cname?: string
  txt?: string[]
}

export interface TestDns {
  /** host:port, over UDP and TCP. */
  address: string
  /** These and no others, from now on. */
  set(host: string, answers: DnsAnswers): Promise<void>
  /** One more TXT value beside those that are there. */
  addTxt(host: string, value: string): Promise<void>
  clear(host: string): Promise<void>
}

/** Tells pebble's DNS server, at its management port, what to answer. */
export function testDns(address: string, management: string): TestDns {
  const tell = async (what: string, body: object) => {
    const call = { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(5000) }
    const response = await fetch(`http://${management}/${what}`, call)
    if (!response.ok) throw new Error(`the lab's DNS refused ${what}: ${response.status} ${await response.text()}`)
  }
  const clear = async (name: string) => {
    const host = absolute(name)
    await Promise.all(['clear-a', 'clear-aaaa', 'clear-cname', 'clear-txt'].map((what) => tell(what, { host })))
  }
  return {
    address,
    clear,
    addTxt: (name, value) => tell('set-txt', { host: absolute(name), value }),
    async set(name, { a = [], aaaa = [], cname, txt = [] }) {
      const host = absolute(name)
      await clear(name)
      if (a.length > 0) await tell('add-a', { host, addresses: a })
      if (aaaa.length > 0) await tell('add-aaaa', { host, addresses: aaaa })
      if (cname !== undefined) await tell('set-cname', { host, target: absolute(cname) })
      for (const value of txt) await tell('set-txt', { host, value })
    },
  }
}

const absolute = (name: string) => (name.endsWith('.') ? name : `${name}.`)

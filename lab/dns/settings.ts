/** One server of a zone, and what it reads at its start. */
export interface Served {
  address: string
  port: number
  /** Where the zone says that its servers are, the primary first. */
  named: string[]
  zone: string
  /** The first may change TXT records. */
  keys: { name: string; algorithm: string; secret: string }[]
  primary: boolean
  refreshSeconds: number
}

/** Listens on any address that it is told, and so can be two servers at the usual port. */
export function knotSettings(folder: string, { address, port, named, zone, keys, primary }: Served): string {
  const [updater] = keys
  const own = primary ? '' : '\n    master: first'
  return `
server:
    rundir: ${folder}
    listen: ${address}@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stderr
    any: info
database:
    storage: ${folder}
key:
${keys.map(({ name, algorithm, secret }) => `  - id: ${name}.\n    algorithm: ${algorithm}\n    secret: ${secret}`).join('\n')}
remote:
  - id: first
    address: ${named[0]}@${port}
acl:
  - id: update
    key: ${updater?.name}.
    action: update
    update-type: [TXT]
  - id: transfer
    address: 127.0.0.0/8
    action: transfer
zone:
  - domain: ${zone}
    storage: ${folder}
    file: zone
    zonefile-sync: -1
    acl: [update, transfer]${own}
`
}

export function bindSettings(folder: string, { address, port, zone, keys }: Served): string {
  const [updater] = keys
  return `
options {
  directory "${folder}";
  listen-on port ${port} { ${address}; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  pid-file none;
  lock-file none;
  session-keyfile "${folder}/session.key";
};
controls { };
${keys.map(({ name, algorithm, secret }) => `key "${name}." { algorithm ${algorithm}; secret "${secret}"; };`).join('\n')}
zone "${zone}" { type primary; file "zone"; notify no; update-policy { grant ${updater?.name}. zonesub TXT; }; };
`
}

export function zoneFile({ named, zone, refreshSeconds }: Served, records: string[]): string {
  const names = named.map((_, place) => `ns${place + 1}`)
  return `$ORIGIN ${zone}.
$TTL 1
@ SOA ns1 hostmaster 1 ${refreshSeconds} 1 86400 1
${names.map((name) => `@ NS ${name}`).join('\n')}
${names.map((name, place) => `${name} A ${named[place]}`).join('\n')}
${records.join('\n')}
`
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../run.ts'
import { tool } from '../tools.ts'

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** An authority of its own and one certificate for all names; clients are told to trust the authority. */
export async function makeCertificate(dir: string, names: string[]) {
  mkdirSync(dir, { recursive: true })
  const openssl = (...args: string[]) => run([tool('openssl'), ...args], { cwd: dir })
  const subjects = [...names.map((name) => `DNS:${name}`), 'IP:127.0.0.1'].join(',')
  writeFileSync(join(dir, 'names'), `subjectAltName=${subjects}\n`)
  const authority = ['-subj', '/CN=lab git host', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30']
  const leaf = ['-subj', `/CN=${names[0]}`, '-keyout', 'leaf.key', '-out', 'leaf.csr']
  await Promise.all([openssl('req', '-x509', ...CURVE, ...authority), openssl('req', ...CURVE, ...leaf)])
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30', '-extfile', 'names']
  await openssl('x509', '-req', '-in', 'leaf.csr', '-out', 'leaf.pem', ...signing)
  const read = (file: string) => readFileSync(join(dir, file), 'utf8')
  return { key: read('leaf.key'), cert: read('leaf.pem'), caFile: join(dir, 'ca.pem') }
}

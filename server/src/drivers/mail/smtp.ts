import { isIPv4 } from 'node:net'
import { getCACertificates } from 'node:tls'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { asOneLine, isPlainAddress } from './address.ts'
import { explain, untakenLogin } from './explain.ts'
import { type Mail, type MailDoor, mailFailure } from './mail.ts'

export type SmtpOptions = {
  /** `smtps://user:password@host:port`, or `smtp://…` where TLS begins by STARTTLS. */
  url: string
  /** Whom all mail is from. */
  from: string
  /** Certificates of authorities beyond the usual ones. */
  extraRoots(): Promise<string[]>
  /** For one mail, from the connection to the server's last word. */
  deadlineMs?: number
}

/** Longer than servers usually take to look at a mail: one that is given up after it was taken arrives twice. */
const SEND_MS = 90_000
const TIMEOUTS = { connectionTimeout: 15_000, greetingTimeout: 15_000, dnsTimeout: 10_000, socketTimeout: 60_000 }
/** No answer of a mail server is that long. */
const MOST_ANSWER_BYTES = 64 * 1024

/**
 * Sends mail to one server that takes it for everybody. A connection for each mail: what is left of one cannot get into another, and
 * there is nothing to keep open. Without TLS nothing is sent, except to this machine itself.
 */
export function smtpDoor(options: SmtpOptions): MailDoor {
  const closing = new AbortController()
  const server = serverAt(options.url)
  return {
    async send(mail, signal) {
      const late = AbortSignal.timeout(options.deadlineMs ?? SEND_MS)
      const left = AbortSignal.any([signal, closing.signal])
      try {
        left.throwIfAborted()
        await deliver(await openLine(server, options), server.login, await composed(mail, options.from), {
          signal: AbortSignal.any([left, late]),
        })
      } catch (error) {
        left.throwIfAborted()
        throw explain(error, late.aborted)
      }
    },
    close: () => closing.abort(new Error('the mail driver was closed')),
  }
}

type Login = { user: string; pass: string }
type Server = { host: string; port: number | undefined; secure: boolean; login: Login | null }

function serverAt(text: string): Server {
  const { protocol, hostname, port, username, password } = new URL(text)
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? undefined : Number(port),
    secure: protocol === 'smtps:',
    login: username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
  }
}

const isThisMachine = (host: string) =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Loaded on first use: most instances send no mail. */
async function openLine({ host, port, secure }: Server, { extraRoots }: SmtpOptions): Promise<SMTPConnection> {
  const [{ default: Connection }, roots] = await Promise.all([import('nodemailer/lib/smtp-connection'), extraRoots()])
  const ca = roots.length === 0 ? {} : { ca: [...getCACertificates('default'), ...roots] }
  return new Connection({
    host,
    port,
    secure,
    requireTLS: !isThisMachine(host),
    tls: { minVersion: 'TLSv1.2', ...ca },
    maxResponseSize: MOST_ANSWER_BYTES,
    allowInternalNetworkInterfaces: true,
    ...TIMEOUTS,
  })
}

type Composed = { envelope: { from: string; to: string[] }; bytes: Buffer }

/** Who gets it is said here once more and not read from the headers. Nothing is fetched from files or addresses. */
async function composed({ to, subject, text, messageId }: Mail, from: string): Promise<Composed> {
  if (!isPlainAddress(to)) throw mailFailure('mail_refused', 'The mail has no address that one can be sent to.')
  if (!isPlainAddress(from) || !/^[\w.-]+@[\w.-]+$/.test(messageId))
    throw new Error('a mail has a sender or an id of its own')
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const node = new MailComposer({
    from: { name: '', address: from },
    to: { name: '', address: to },
    subject: asOneLine(subject),
    text,
    messageId: `<${messageId}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'win',
  }).compile()
  return { envelope: { from, to: [to] }, bytes: await node.build() }
}

async function deliver(
  line: SMTPConnection,
  login: Login | null,
  { envelope, bytes }: Composed,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const broken = new Promise<never>((_, reject) => {
    // For as long as it lives: an error that nobody listens to would end the process.
    line.on('error', reject)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  broken.catch(() => {})
  const step = (ask: (done: (error?: Error | null) => void) => void) =>
    Promise.race([broken, new Promise<void>((resolve, reject) => ask((error) => (error ? reject(error) : resolve())))])
  try {
    signal.throwIfAborted()
    await step((done) => line.connect(done))
    if (login !== null && !line.allowsAuth) throw untakenLogin()
    if (login !== null) await step((done) => line.login(login, done))
    await step((done) => line.send(envelope, bytes, done))
  } finally {
    line.close()
  }
}

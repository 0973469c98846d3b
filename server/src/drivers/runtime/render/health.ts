import type { HealthConfig } from '../../engine/answers.ts'
import type { Healthcheck } from '../rollout/spec.ts'
import { LEAST_PAUSE_MS } from './bounds.ts'
import type { Programs } from './image-programs.ts'

/**
 * A check as the engine runs it INSIDE the container, so only with what the image has. The rule:
 *  1. bash (Debian, Ubuntu, RHEL): reads the kernel's table of listening ports, asks over /dev/tcp
 *  2. sh and wget (Alpine, busybox): the same table, asks with wget
 *  3. node (distroless Node images): the same in JavaScript; 20 times the cost, so only where there is no shell
 *  4. sh alone: HTTP becomes "the port is open"
 *  5. nothing of these (scratch, distroless): no check; healthy is what keeps running for the monitor period
 * A connection to a listening port succeeds whatever the application does, so the table tells as much as a connection
 * would, costs less, leaves no line in the application's log, and tells a port that only the container itself can reach.
 */
export function healthConfig(check: Healthcheck, programs: Programs): HealthConfig | undefined {
  const argv = checkArgv(check, programs)
  if (check.kind === 'image' && argv === undefined) return undefined
  if (argv === undefined) return { Test: ['NONE'] }
  const ns = (ms: number) => ms * 1_000_000
  return {
    Test: ['CMD', ...argv],
    Interval: ns(Math.max(check.intervalMs, LEAST_PAUSE_MS.check)),
    Timeout: ns(check.timeoutMs),
    Retries: check.retries,
    StartPeriod: ns(check.startPeriodMs),
    // From Engine 25 on it is 5 s unless set; a rollout would wait for it.
    StartInterval: ns(Math.max(check.startIntervalMs ?? Math.min(check.intervalMs, 1000), LEAST_PAUSE_MS.check)),
  }
}

function checkArgv(check: Healthcheck, { shell, wget, node }: Programs): string[] | undefined {
  if (check.kind === 'command') return check.argv
  if (check.kind !== 'http' && check.kind !== 'tcp') return undefined
  const path = check.kind === 'http' ? requestPath(check.path) : ''
  const canAsk = shell?.endsWith('bash') || wget
  // Port and path are arguments of a constant script: nothing of them is ever read as code.
  if (shell && (canAsk || path === '')) return [shell, '-c', shellScript, 'slipway', String(check.port), path]
  if (node) return [node, '-e', nodeScript, String(check.port), path]
  if (shell) return [shell, '-c', shellScript, 'slipway', String(check.port), '']
  return undefined
}

/** A path that is one word of a request line, whatever was typed. */
function requestPath(path: string): string {
  const { pathname, search } = new URL(path.startsWith('/') ? `http://check${path}` : `http://check/${path}`)
  return pathname + search
}

/**
 * $1 port, $2 path or nothing. Listening sockets come first in the table, so the first other one ends the search; the one
 * on 127.0.0.11 is the engine's name server. What else listens is told with a failure, for `listening.ts` to read. wget
 * would follow a redirect out of the container; its first status line decides, and the closed pipe ends it.
 */
const shellScript = `
p=$(printf %04X "$1") near= far= open=
for f in /proc/net/tcp /proc/net/tcp6; do
  [ -r $f ] || continue
  while read -r _ a _ s _; do
    case "$s $a" in
      st*|0A\\ 0B00007F:*) continue ;;
      0A\\ *) ;;
      *) break ;;
    esac
    case "$a" in
      ??????7F:*|0000000000000000FFFF0000??????7F:*|00000000000000000000000001000000:*) l=/local ;;
      *) l= ;;
    esac
    case "$l:$a" in
      :*:$p) far=1; break 2 ;;
      *:$p) near=1 ;;
    esac
    open="$open $((0x\${a##*:}))$l"
  done < $f
done
[ "$near$far" ] || { echo "nothing listens on port $1; open:$open"; exit 1; }
[ "$far" ] || { echo "port $1 is open only inside the container; open:$open"; exit 1; }
[ "$2" ] || exit 0
verdict() {
  while read -r v c m; do
    case "$v $c" in
      HTTP/*\\ [23]??) exit 0 ;;
      HTTP/*) echo "GET $2 answered $c \${m%$(printf '\\r')}"; exit 1 ;;
    esac
  done
  echo "GET $2 was not answered"; exit 1
}
if [ "$BASH_VERSION" ]; then
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf 'GET %s HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nUser-Agent: slipway\\r\\nAccept: */*\\r\\nConnection: close\\r\\n\\r\\n' "$2" "$1" >&3
  verdict "$@" <&3
fi
http_proxy= HTTP_PROXY= wget -S -U slipway -O /dev/null "http://127.0.0.1:$1$2" 2>&1 | verdict "$@"
`.trim()

const nodeScript = `
const [port, path] = process.argv.slice(1), fs = require('fs'), http = require('http');
const table = (f) => { try { return fs.readFileSync(f, 'latin1').split('\\n') } catch { return [] } };
const open = [...table('/proc/net/tcp'), ...table('/proc/net/tcp6')].map((l) => l.trim().split(/\\s+/))
  .filter((c) => c[3] === '0A' && !c[1].startsWith('0B00007F:')).map((c) => c[1].split(':'))
  .map(([a, p]) => [parseInt(p, 16), /^(.{6}7F|0{16}FFFF0000.{6}7F|0{24}01000000)$/.test(a)]);
const end = (word) => { if (word) console.log(word); process.exit(word ? 1 : 0) };
const mine = open.filter(([p]) => p === +port), all = '; open:' + open.map(([p, l]) => ' ' + p + (l ? '/local' : '')).join('');
if (!mine.length) end('nothing listens on port ' + port + all);
if (mine.every(([, l]) => l)) end('port ' + port + ' is open only inside the container' + all);
if (!path) end();
http.get({ host: '127.0.0.1', port, path, agent: false, headers: { 'user-agent': 'slipway' } }, (r) =>
  end(r.statusCode >= 200 && r.statusCode < 400 ? '' : 'GET ' + path + ' answered ' + r.statusCode + ' ' + r.statusMessage),
).on('error', () => end('GET ' + path + ' was not answered'));
`.trim()

import type { EdgePorts } from './check/edge-ports.ts'
import type { Finding } from './check/finding.ts'
import type { Step } from './plan/step.ts'
import type { Say } from './say.ts'

const MARK = { ok: '✓', plan: '→', warning: '!', failed: '✗' }

export function showFindings(findings: Finding[], say: Say): void {
  for (const { id, state, what, remedy } of findings)
    say(`  ${MARK[state]} ${id.padEnd(10)} ${what}${remedy ? ` — ${remedy}` : ''}`)
}

export function showPlan(steps: Step[], say: Say): void {
  if (steps.length === 0) say('Nothing is to be done.')
  for (const [index, { what }] of steps.entries()) say(`  ${String(index + 1).padStart(2)}. ${what}`)
}

/** What the addresses of projects will be, and the record that leads them here. */
export function projectNames(settings: Record<string, string>, address: string): string {
  const { SLIPWAY_BASE_DOMAIN: base = 'localhost', SLIPWAY_PUBLIC_ADDRESSES: told = '' } = settings
  const to = told.split(',')[0]?.trim() || address
  const record = (domain: string) => `    *.${domain} ${to.includes(':') ? 'AAAA' : 'A'} ${to}`
  if (base !== 'localhost' && !base.endsWith('.localhost'))
    return `Projects get names such as hello.${base}. This record leads all of them here:\n\n${record(base)}`
  return `Projects get names such as hello.${base}, which lead only to the machine on which they are opened.
For names that everybody can open, set one record and say the base domain:

${record('apps.example.com')}
    slipway setup install --base-domain apps.example.com`
}

/** What to write into the proxy that is there already, so that a project's name leads to the edge behind it. */
export function snippetFor(program: string, { http }: EdgePorts): string {
  const to = `127.0.0.1:${http}`
  const forms: Record<string, string> = {
    nginx: `server {
  listen 80;
  server_name *.apps.example.com;
  location / {
    proxy_pass http://${to};
    proxy_http_version 1.1;
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $http_connection;
    proxy_buffering off;
    client_max_body_size 0;
  }
}`,
    apache2: `<VirtualHost *:80>
  ServerName apps.example.com
  ServerAlias *.apps.example.com
  ProxyPreserveHost On
  ProxyPass / http://${to}/ upgrade=websocket
</VirtualHost>`,
    caddy: `*.apps.example.com {
  reverse_proxy ${to}
}`,
    haproxy: `backend slipway
  option forwardfor
  server edge ${to}`,
    traefik: `http:
  routers:
    slipway: { rule: "HostRegexp(\`.+\\\\.apps\\\\.example\\\\.com\`)", service: slipway }
  services:
    slipway: { loadBalancer: { servers: [{ url: "http://${to}" }] } }`,
  }
  return (
    forms[program] ??
    `# ${program}: pass requests for *.apps.example.com on to http://${to} as they are,
# with Host, X-Forwarded-For, X-Forwarded-Proto and upgrades, and without buffering.`
  )
}

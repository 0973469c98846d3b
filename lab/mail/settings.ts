/** What the mail server is told. Everything of it lies in `folder`; it delivers into `folder/mail` and nowhere else. */
export type Served = { folder: string; port: number; tlsPort: number; user: string; password: string }

/** Local parts that are not taken: one for good, one for now. */
const REFUSED = 'nobody'
const DEFERRED = 'later'

/**
 * Logging in is offered after TLS has begun, and nothing is taken from whoever did not log in. A test chooses what is answered by the
 * address that it writes to. All mail goes into one folder, because no name of a file may come from outside; a header says for whom it is.
 */
export const eximSettings = ({ folder, port, tlsPort, user, password }: Served): string => `
exim_path = ${folder}/exim4
keep_environment = ^LD_LIBRARY_PATH$
add_environment =
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%s
pid_file_path =
primary_hostname = mail.test
qualify_domain = mail.test
local_interfaces = <; [127.0.0.1]:${port} ; [127.0.0.1]:${tlsPort}
tls_on_connect_ports = ${tlsPort}
tls_advertise_hosts = *
tls_certificate = ${folder}/leaf.pem
tls_privatekey = ${folder}/leaf.key
host_lookup =
rfc1413_hosts =
smtp_accept_max = 100
smtp_accept_queue_per_connection = 0
queue_only = false
never_users =
deliver_drop_privilege = true
trusted_users = Debian-exim
acl_smtp_rcpt = rcpt
acl_smtp_data = accept

begin acl
rcpt:
  require authenticated = *
          message = log in first
  defer   local_parts = ${DEFERRED}
          message = come back in a while
  deny    local_parts = ${REFUSED}
          message = there is nobody of that name
  accept

begin routers
all:
  driver = accept
  transport = into_folder

begin transports
into_folder:
  driver = appendfile
  directory = ${folder}/mail
  maildir_format
  create_directory
  create_file = anywhere
  envelope_to_add

begin retry
* * F,1h,1m

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${user}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
  server_advertise_condition = \${if def:tls_in_cipher}
`

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MailServer } from '#lib/net/mail/mail.ts'
import { freePort } from '../free-port.ts'
import { stores } from '../stores.ts'
import { until } from '../until.ts'

/**
 * Exim on loopback. It delivers mail to team@example.org. It refuses later@ for now, left@ because the mailbox is gone,
 * spam@ once it has the message, and everybody else in its own words.
 */
type Exim = AsyncDisposable & {
  readonly address: MailServer
  /** The mails of team@example.org, as Exim wrote them to a Maildir. */
  delivered(): Buffer[]
}

/** The user and group `nobody` of Debian. */
const NOBODY = 65534

/** Starts Exim with a folder of its own, as another user if this one is root: Exim delivers nothing as root. */
export async function startExim(): Promise<Exim> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-exim-'))
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : { uid: process.getuid!(), gid: process.getgid!() }
  writeFileSync(join(folder, 'config'), configOf(folder, user))
  if (isRoot) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  const port = await freePort()
  const child = spawn(stores.exim!, ['-C', join(folder, 'config'), '-bdf', '-oX', `127.0.0.1:${port}`], {
    ...(isRoot && user),
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
  const ended = once(child, 'exit')
  await until(() => {
    if (child.exitCode !== null) throw new Error(`Exim ended with ${child.exitCode}:\n${output.join('')}`)
    return answers(port)
  })
  const inbox = join(folder, 'maildir', 'new')
  return {
    address: { host: '127.0.0.1', port, secure: false, requireTls: false, credentials: undefined },
    delivered: () => (existsSync(inbox) ? readdirSync(inbox).map((name) => readFileSync(join(inbox, name))) : []),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'data').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}

function configOf(folder: string, { uid, gid }: { uid: number; gid: number }): string {
  return `
primary_hostname = mail.example.org
spool_directory = ${folder}/spool
log_file_path = ${folder}/%s.log
pid_file_path = ${folder}/pid
exim_user = ${uid}
exim_group = ${gid}
tls_advertise_hosts =
keep_environment =
acl_smtp_rcpt = recipient
acl_smtp_data = message

begin acl
recipient:
  defer local_parts = later
        message = 4.7.1 Greylisted
  deny local_parts = left
       message = 5.1.1 No such mailbox
  require verify = recipient
  accept
message:
  deny condition = \${if eq{$recipients}{spam@example.org}}
       message = 5.7.1 Looks like spam
  accept

begin routers
maildir:
  driver = accept
  domains = example.org
  local_parts = team : spam
  transport = maildir

begin transports
maildir:
  driver = appendfile
  directory = ${folder}/maildir
  maildir_format
  user = ${uid}
  group = ${gid}
`
}

import type { Cli } from '../command/command.ts'

/** Warns before a key is sent over http to another machine, where everybody on the way can read it. */
export function warnOfPlainHttp(apiUrl: string, { note }: Pick<Cli, 'note'>): void {
  const { protocol, hostname } = new URL(apiUrl)
  if (protocol !== 'http:' || isOnThisMachine(apiUrl)) return
  note(
    `Warning: your API key is sent to ${hostname} without encryption, because ${apiUrl} is not https. ` +
      'Anyone on the network can read it. Log in again with an https address.',
  )
}

/** Whether the address is one that only programs of this machine reach. */
export function isOnThisMachine(apiUrl: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(apiUrl).hostname)
}

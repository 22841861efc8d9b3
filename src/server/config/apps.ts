import type { EnvironmentReader } from './reader.ts'

export type AppSettings = {
  /** The domain whose subdomains are the addresses of apps. Undefined: apps answer at `*.localhost` of the own port. */
  domain: string | undefined
}

const DOMAIN = /^(?=.{1,180}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/

export function readApps(read: EnvironmentReader): Readonly<AppSettings> {
  const domain = read.text('SVC_APPS_DOMAIN')?.toLowerCase()
  if (domain !== undefined && !DOMAIN.test(domain)) {
    read.fault('SVC_APPS_DOMAIN must be a domain such as apps.example.com, without https:// and port')
  }
  refuseOwnHost(read, domain)
  return Object.freeze({ domain })
}

/** An app must never be able to answer at the address of the console, whose cookies it could read. */
function refuseOwnHost(read: EnvironmentReader, domain: string | undefined): void {
  const own = URL.parse(read.text('SVC_REDIRECT_BASE_URL') ?? '')?.hostname
  if (domain === undefined || own === undefined) return
  if (own === domain || own.endsWith(`.${domain}`)) {
    read.fault('SVC_APPS_DOMAIN must not contain the host of SVC_REDIRECT_BASE_URL: apps need a domain of their own')
  }
}

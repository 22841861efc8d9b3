const SET_BY_SVC = ['PORT', 'HOME', 'TMPDIR']
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY']

/**
 * Returns why an app cannot set this variable, or undefined if it can. Others, such as `PATH`, `LD_PRELOAD` and
 * `NODE_OPTIONS`, reach only the app's own processes.
 */
export function whyReserved(name: string): string | undefined {
  if (SET_BY_SVC.includes(name)) return `is reserved: svc sets ${name} itself`
  if (PROXIES.includes(name.toUpperCase())) return 'is reserved: apps reach the network through the proxy of svc'
  if (name.toUpperCase().startsWith('SVC_')) return 'is reserved: names that begin with SVC_ belong to svc'
  return undefined
}

const SET_BY_SVC = ['PORT', 'HOME', 'PATH', 'TMPDIR']
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

/**
 * Returns why an app cannot set this variable, or undefined if it can. `LD_…` would change how programs are loaded that
 * are not the app's, such as the one that puts up its sandbox. `NODE_OPTIONS` and the like concern the app alone.
 */
export function whyReserved(name: string): string | undefined {
  if (SET_BY_SVC.includes(name)) return `is reserved: svc sets ${name} itself`
  if (PROXIES.includes(name.toUpperCase())) return 'is reserved: apps reach the network through the proxy of svc'
  if (name.toUpperCase().startsWith('SVC_')) return 'is reserved: names that begin with SVC_ belong to svc'
  if (name.startsWith('LD_')) return 'is reserved: names that begin with LD_ change how programs are loaded'
  return undefined
}

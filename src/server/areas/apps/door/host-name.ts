const LABEL = /^[a-z0-9-]{1,63}$/

/**
 * Returns the label of the app that a host name stands for, or undefined for a host that is not an app's. Every host
 * name below the domain belongs to apps, so that nothing of ours is ever served there; one that no app can have gives
 * the empty label, because the label becomes a part of a path.
 */
export function appLabelOf(host: string | null, domain: string): string | undefined {
  const name = host?.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
  const suffix = `.${domain}`
  if (!name?.endsWith(suffix)) return undefined
  const label = name.slice(0, -suffix.length)
  return LABEL.test(label) ? label : ''
}

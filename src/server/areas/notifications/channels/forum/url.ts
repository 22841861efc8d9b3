import { ServiceError } from '#contract/core/errors.ts'

/**
 * Returns the address of a forum without a slash at its end, so that paths can be appended. Throws INVALID_REQUEST for
 * an address that no forum has. Whether it may be connected to is decided when it is.
 */
export function readForumUrl(text: string, { allowsHttp }: { allowsHttp: boolean }): string {
  const url = URL.parse(text.trim())
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw refusedUrl('This is not the address of a forum. It looks like https://forum.example.com.')
  }
  if (url.protocol === 'http:' && !allowsHttp) {
    throw refusedUrl('The address begins with http: the API key would be readable on the way. Use https.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw refusedUrl('The address of a forum has no user name, query or fragment. Remove it.')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

export function refusedUrl(message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', message, { errors: [{ path: 'config.url', message }] })
}

const NAME = 'svc-fragment'

type FragmentStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
type Address = { readonly pathname: string; readonly search: string; readonly hash: string }

/**
 * Keeps the part of the address behind `#` while the person signs in, in this tab only. It can be a question, so it must
 * not be in the address of the sign-in page, which the server and the provider see.
 */
export function keepFragment(address: Address, storage: FragmentStorage = sessionStorage): void {
  if (address.hash === '') storage.removeItem(NAME)
  else storage.setItem(NAME, JSON.stringify({ at: address.pathname + address.search, hash: address.hash }))
}

/** Returns the part that was kept for this address, once. Returns undefined if there is none. */
export function takeFragment(address: Address, storage: FragmentStorage = sessionStorage): string | undefined {
  const stored = storage.getItem(NAME)
  storage.removeItem(NAME)
  if (stored === null || address.hash !== '') return undefined
  const { at, hash } = JSON.parse(stored) as { at: string; hash: string }
  return at === address.pathname + address.search ? hash : undefined
}

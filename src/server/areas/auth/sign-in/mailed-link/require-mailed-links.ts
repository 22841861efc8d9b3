import { notFound } from '#contract/core/errors.ts'
import type { SignInDeps } from '../deps.ts'

/** Mailed links sign in only where no identity provider does, because a provider checks more than who reads a mailbox. */
export function hasMailedLinks({ providers }: Pick<SignInDeps, 'providers'>): boolean {
  return providers.length === 0
}

export function requireMailedLinks(deps: Pick<SignInDeps, 'providers'>): void {
  if (!hasMailedLinks(deps)) throw notFound()
}

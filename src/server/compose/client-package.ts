import { readFile } from 'node:fs/promises'
import { isBundled } from '#lib/files/bundle.ts'
import { createClientPackage, packCheckout } from '../areas/client-package/index.ts'
import { assets } from '../files/assets.ts'
import type { ServiceParts } from './parts.ts'

/** A release has the package of its client; a checkout makes it when it is first needed. */
export function composeClientPackage({ version, publicUrls }: ServiceParts) {
  const file = assets.client()
  return createClientPackage({
    read: () => (isBundled ? readFile(file) : packCheckout(file)),
    isRelease: isBundled,
    version,
    executables: assets.clientExecutables(),
    baseUrl: () => publicUrls.signIn,
  })
}

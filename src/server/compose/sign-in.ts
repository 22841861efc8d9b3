import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCookies } from '#edge/credentials/cookies.ts'
import type { Clock } from '#lib/time/clock.ts'
import { type LocalCode, openLocalCode, openMailFiles, type SignInOptions } from '../areas/auth/index.ts'
import type { Config } from '../config/config.ts'
import { hasLocalSignIn, localCodeFile, signInMailFolder } from '../config/local-sign-in.ts'
import type { ServiceParts } from './parts.ts'

export function composeSignIn({ config, clock, sealer, log, outgoing }: ServiceParts): SignInOptions {
  const { signIn: settings } = config
  const cookies = createCookies(settings.redirectBaseUrl)
  const mailFiles = config.mail.server ? undefined : openMailFiles({ folder: signInMailFolder(config), clock })
  return { sealer, log, outgoing, cookies, settings, local: composeLocal(config, clock), mailFiles }
}

function composeLocal(config: Config, clock: Clock): LocalCode | undefined {
  if (!hasLocalSignIn(config)) return undefined
  const firstRun = join(config.dataDir, 'first-run.json')
  const ownerEmail = () => {
    if (!existsSync(firstRun)) return undefined
    return (JSON.parse(readFileSync(firstRun, 'utf8')) as { owner_email: string }).owner_email
  }
  return openLocalCode({ file: localCodeFile(config), clock, ownerEmail })
}

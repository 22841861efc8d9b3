import { join } from 'node:path'
import { unsentMailText } from '#contract/notifications/mail-place.ts'
import type { Settings } from '../../config/config.ts'
import { readAppLimits } from '../../files/app-limits-file.ts'
import { type DoctorCheck, type Finding, type Findings, notSetUp, problem, Skipped, warning } from './report.ts'

/** The settings, or the faults for which a server would refuse to start. */
export type SettingsResult = { settings: Settings } | { faults: readonly string[] }

export function settingsChecks(result: SettingsResult): DoctorCheck[] {
  return [
    { name: 'configuration', look: async () => findFaults(result) },
    { name: 'mail', look: async () => findMailFaults(settingsOf(result)) },
    { name: 'sign-in', look: async () => findSignInFaults(settingsOf(result)) },
    { name: 'app limits', look: async () => findLimitGaps(settingsOf(result)) },
  ]
}

export function settingsOf(result: SettingsResult): Settings {
  if ('settings' in result) return result.settings
  throw new Skipped('The configuration has errors.')
}

function findFaults(result: SettingsResult): Finding[] {
  if ('faults' in result) return result.faults.map((fault) => problem(`${fault}.`, 'Correct this variable.'))
  return result.settings.warnings.map((text) => warning(text, 'Correct the name, or remove the variable.'))
}

const SET_MAIL = 'Set SVC_SMTP_URL and SVC_MAIL_FROM for worker and auth-service.'

function findMailFaults({ mail, databaseUrl, dataDir, services, signIn }: Settings): Finding[] {
  if (mail.server || !services.includes('worker')) return []
  if (databaseUrl !== undefined) return [warning(unsentMailText('none'), SET_MAIL)]
  const links = hasProvider({ signIn }) ? '' : ` Mails with sign-in links are in ${join(dataDir, 'sign-in-mails')}.`
  return [notSetUp(unsentMailText('mailbox', '/mailbox of the console') + links, SET_MAIL)]
}

function hasProvider({ signIn }: Pick<Settings, 'signIn'>): boolean {
  return (signIn.google ?? signIn.microsoft ?? signIn.oidc) !== undefined
}

const SET_PROVIDER =
  'Set SVC_GOOGLE_CLIENT_ID, SVC_MICROSOFT_CLIENT_ID or SVC_OIDC_ISSUER with the variables that belong to it.'

function findSignInFaults({ signIn, databaseUrl, services }: Settings): Findings {
  if (hasProvider({ signIn }) || !services.includes('auth-service')) return []
  if (databaseUrl !== undefined)
    return warning('People sign in by mailed links only: no identity provider is set.', SET_PROVIDER)
  return notSetUp(
    'People sign in by mailed links and by the link of svc console: no identity provider is set.',
    SET_PROVIDER,
  )
}

/** As the last start of a server found them: this process may be in other control groups. */
function findLimitGaps({ apps, dataDir, services }: Settings): Finding[] {
  if (apps.processesOff !== undefined || !services.includes('worker')) return []
  const found = readAppLimits(dataDir)
  if (!found) {
    const message =
      'No server with a sandbox for apps was started on this data folder, so the limits of apps are not known.'
    return [warning(message, 'Start the server, then repeat.')]
  }
  return found.gaps.map(({ message, action }) => warning(message, action))
}

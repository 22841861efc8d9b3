import { type Fault, ServiceError } from '#contract/core/errors.ts'
import { DETECTORS_MODEL } from '#contract/maintenance/settings.ts'
import { cronFault } from '#lib/time/cron.ts'
import { isTimezone } from '#lib/time/timezone.ts'
import type { UsableModels } from '../model/deps.ts'

type SettingsInput = { model?: string | undefined; nightly_cron?: string | undefined; timezone?: string | undefined }

/** Refuses settings with which no run could begin, and names every fault. */
export function refuseUnusable(given: SettingsInput, models: UsableModels): void {
  const errors = [...modelFaults(given, models), ...timezoneFaults(given), ...cronFaults(given)]
  if (errors.length > 0) {
    throw new ServiceError('INVALID_REQUEST', errors.map(({ message }) => message).join(' '), { errors })
  }
}

function modelFaults({ model }: SettingsInput, models: UsableModels): Fault[] {
  if (model === undefined || model === DETECTORS_MODEL || models.has(model)) return []
  const usable = [DETECTORS_MODEL, ...models.names]
  return [{ path: 'model', message: `No usable model has this name. Use one of: ${usable.join(', ')}.` }]
}

function timezoneFaults({ timezone }: SettingsInput): Fault[] {
  if (timezone === undefined || isTimezone(timezone)) return []
  return [{ path: 'timezone', message: 'This is not a timezone. Use an IANA name such as Europe/Berlin.' }]
}

function cronFaults({ nightly_cron: cron }: SettingsInput): Fault[] {
  const message = cron === undefined ? undefined : cronFault(cron)
  return message === undefined ? [] : [{ path: 'nightly_cron', message }]
}

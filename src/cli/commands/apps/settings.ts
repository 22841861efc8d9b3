import type { AppSettings } from '#contract/apps/apps.ts'

export type SettingFlags = { name?: string; build?: string; start?: string; healthPath?: string }

/** Returns the input keys for the options that were given. An empty command means none. */
export function givenSettings(flags: SettingFlags): { name?: string; settings: Partial<AppSettings> } {
  const { name, build, start, healthPath } = flags
  return {
    ...(name !== undefined && { name }),
    settings: {
      ...(build !== undefined && { build_command: build || null }),
      ...(start !== undefined && { start_command: start || null }),
      ...(healthPath !== undefined && { health_path: healthPath }),
    },
  }
}

/** The name of the server of managed databases that DATABASE_URL names, and of the embedded engine. */
export const PLATFORM_SERVER = 'platform'

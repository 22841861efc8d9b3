/** Header of answers to the command-line client, with the version of the instance. */
export const VERSION_HEADER = 'x-svc-version'

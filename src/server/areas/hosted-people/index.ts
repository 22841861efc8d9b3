export { createHostedPeopleDirectory } from './directory.ts'

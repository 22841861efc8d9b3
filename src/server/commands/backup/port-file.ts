/** The file of a data folder that names the port of managed databases. */
export const PORT_FILE = 'databases/port'

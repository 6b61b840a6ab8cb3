// Questions of people, with the fields that answer them, over the description of a production API.

/** A question, and the fields of which an answer must name one. */
export type Question = readonly [question: string, ...fields: string[]];

/** The questions by which the search was made. */
export const QUESTIONS: readonly Question[] = [
  ['list my virtual servers', 'Query.vpses'],
  ['restart a server', 'Mutation.vpsRestart'],
  ['take a backup of a dataset now', 'Mutation.datasetSnapshotCreate'],
  ['which snapshots do I have', 'Dataset.snapshots'],
  ['add an A record to my domain', 'Mutation.dnsRecordCreate'],
  ['change the root password', 'Mutation.vpsPasswd'],
  ['how much disk space is left', 'Dataset.avail', 'Dataset.used', 'Dataset.quota'],
  ['who logged in to my account', 'Query.userSessions'],
  ['out of memory kills', 'Query.oomReports'],
  ['progress of a running operation', 'Query.actionState', 'Subscription.actionProgress'],
  ['add my ssh key', 'Mutation.userPublicKeyCreate'],
  ['known vulnerabilities', 'Query.securityAdvisories', 'Query.vpsSecurityAdvisories'],
];

/** Questions that were written after the search, by which it was not changed. */
export const UNTUNED: readonly Question[] = [
  ['roll a file system back to an earlier snapshot', 'Mutation.datasetSnapshotRollback'],
  ['turn off the machine', 'Mutation.vpsStop'],
  ['power on my VPS', 'Mutation.vpsStart'],
  ['remove a DNS record', 'Mutation.dnsRecordDelete'],
  ['reinstall the operating system', 'Mutation.vpsReinstall'],
  ['which IP addresses belong to me', 'Query.ipAddresses', 'Query.hostIpAddresses'],
  ['how much traffic did I use', 'Query.networkInterfaceAccountings', 'Query.networkInterfaceMonitors'],
  ['available distributions', 'Query.osTemplates', 'Query.osFamilies'],
  ['boot into rescue mode', 'Mutation.vpsBoot'],
  ['end a login of somebody else', 'Mutation.userSessionClose'],
  ['who am I', 'Query.userCurrent', 'Query.session'],
  ['download a backup', 'Mutation.snapshotDownloadCreate', 'Query.snapshotDownloads'],
  ['set up two-factor authentication', 'Mutation.userTotpDeviceCreate', 'Mutation.webauthnRegistrationBegin'],
  ['mount a dataset in a server', 'Mutation.vpsMountCreate'],
  ['clone a virtual machine', 'Mutation.vpsClone'],
];

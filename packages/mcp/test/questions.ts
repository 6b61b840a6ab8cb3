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

/** Questions that were written after the last change of the search. */
export const UNSEEN: readonly Question[] = [
  ['reboot my VPS', 'Mutation.vpsRestart'],
  ['make a snapshot', 'Mutation.datasetSnapshotCreate'],
  ['list DNS zones of a user', 'Query.dnsZones'],
  ['delete a snapshot download', 'Mutation.snapshotDownloadDelete'],
  ['set root password of a container', 'Mutation.vpsPasswd'],
  [
    'assign an IP address to a VPS',
    'Mutation.ipAddressAssign',
    'Mutation.ipAddressAssignWithHostAddress',
    'Mutation.hostIpAddressAssign',
  ],
  ['which operating system templates exist', 'Query.osTemplates'],
  ['show running transactions', 'Query.transactionChains', 'Query.transactions'],
  ['incidents of my server', 'Query.incidentReports', 'Vps.incidentReports'],
  ['what is my monthly payment', 'Query.userCurrent', 'User.monthlyPayment'],
  ['which addresses are not used', 'Query.ipAddresses', 'Query.hostIpAddresses'],
  ['add a mail record for my domain', 'Mutation.dnsRecordCreate'],
  ['change TTL of a record', 'Mutation.dnsRecordUpdate'],
  ['lower the memory of a server', 'Mutation.vpsUpdate'],
  ['remove an export', 'Mutation.exportDelete'],
  ['close all other sessions', 'Mutation.userSessionClose'],
  ['delete a public key', 'Mutation.userPublicKeyDelete'],
  ['load average of nodes', 'Query.nodes', 'Query.nodeSystemStates', 'Query.nodePublicStatuses'],
  ['how many datasets does the user have', 'Query.datasets'],
  ['expand a dataset', 'Query.datasetExpansions', 'Mutation.datasetUpdate'],
  [
    'kernel version of the node',
    'Query.nodes',
    'Query.nodeResources',
    'Query.nodeSystemStates',
    'Query.nodePublicStatuses',
    'Node.kernel',
    'NodeSystemState.kernel',
  ],
  ['deploy user data', 'Mutation.vpsUserDataDeploy'],
  [
    'cloud-init data of a server',
    'Query.vpsUserData',
    'Query.allVpsUserData',
    'Mutation.vpsUserDataDeploy',
    'Mutation.vpsUserDataCreate',
  ],
  ['start the server in rescue', 'Mutation.vpsBoot'],
  [
    'set up a nightly maintenance',
    'Mutation.vpsMaintenanceWindowUpdate',
    'Mutation.vpsMaintenanceWindowUpdateAll',
  ],
  ['register a secondary name server', 'Mutation.dnsZoneTransferCreate', 'Mutation.dnsZoneCreate'],
  ['confirm the one-time password device', 'Mutation.userTotpDeviceConfirm'],
  ['compression of a dataset', 'Dataset.compression', 'Mutation.datasetUpdate'],
  ['is my server running', 'Query.vps', 'Query.vpses', 'Vps.isRunning'],
  ['uptime of a VPS', 'Vps.uptime', 'Query.vps', 'Query.vpses'],
];

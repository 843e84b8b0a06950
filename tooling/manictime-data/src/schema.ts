import type { ColumnLayout } from './options.ts';

const SHARED = `
CREATE TABLE Ar_Timeline (ReportId INTEGER PRIMARY KEY, SchemaName TEXT, BaseSchemaName TEXT, Name TEXT, TimelineKey TEXT, EnvironmentId INTEGER);
CREATE TABLE Ar_Group (ReportId INTEGER, GroupId INTEGER, Name TEXT, Key TEXT, Color TEXT, GroupType TEXT, CommonId INTEGER, Icon16 BLOB, PRIMARY KEY (ReportId, GroupId));
CREATE TABLE Ar_TimelineSummary (ReportId INTEGER PRIMARY KEY, StartLocalTime DATETIME, EndLocalTime DATETIME, ActiveStartLocalTime DATETIME, ActiveEndLocalTime DATETIME);
CREATE TABLE Ar_Environment (EnvironmentId INTEGER PRIMARY KEY, DeviceName TEXT, OsVersion TEXT, ManicTimeVersion TEXT, DotNetVersion TEXT);
CREATE TABLE Ar_Folder (FolderId INTEGER PRIMARY KEY, Name TEXT);
`;

const activityTable = (more: string) => `
CREATE TABLE Ar_Activity (ReportId INTEGER NOT NULL, ActivityId INTEGER NOT NULL, Name TEXT, GroupId INTEGER,
  StartLocalTime DATETIME, EndLocalTime DATETIME, StartUtcTime DATETIME, EndUtcTime DATETIME, Notes TEXT,
  IsActive INTEGER, CommonGroupId INTEGER${more}, PRIMARY KEY (ReportId, ActivityId));
`;

function sums(key: string, time: string): string {
  return ['Application', 'WebSite', 'Document']
    .map(
      (subject) => `
CREATE TABLE Ar_${subject}ByDay (${time} DATETIME, ${key} INTEGER, TotalSeconds INTEGER, PRIMARY KEY (${time}, ${key}));
CREATE TABLE Ar_${subject}ByYear (${time} DATETIME, ${key} INTEGER, TotalSeconds INTEGER, DayOfWeek INTEGER, PRIMARY KEY (${time}, ${key}));`,
    )
    .join('');
}

export function schemaOf(layout: ColumnLayout, startIndex: boolean): string {
  const own =
    layout === 'current'
      ? `${activityTable(', RelatedActivityId INTEGER, GroupListId INTEGER')}
CREATE TABLE Ar_CommonGroup (CommonId INTEGER PRIMARY KEY, Name TEXT, Key TEXT, UpperKey TEXT, Color TEXT, GroupType TEXT, ReportGroupType INTEGER);
CREATE TABLE Ar_GroupList (ReportId INTEGER, GroupListId INTEGER, Name TEXT, PRIMARY KEY (ReportId, GroupListId));
CREATE TABLE Ar_GroupListItem (ReportId INTEGER, GroupListId INTEGER, GroupId INTEGER, PRIMARY KEY (ReportId, GroupListId, GroupId));
${sums('CommonId', 'Hour')}`
      : `${activityTable('')}
CREATE TABLE Ar_CommonGroup (CommonGroupId INTEGER PRIMARY KEY, Name TEXT, Key TEXT, UpperKey TEXT, Color TEXT, GroupType TEXT, ReportGroupType INTEGER);
CREATE TABLE Ar_Tag (TagId INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE Ar_ActivityTag (ActivityId INTEGER, TagId INTEGER, PRIMARY KEY (ActivityId, TagId));
CREATE TABLE Ar_ActivityByHour (Day DATE, Hour INTEGER, CommonGroupId INTEGER, TotalSeconds INTEGER);
${sums('CommonGroupId', 'Day')}`;
  const index = startIndex ? 'CREATE INDEX Ar_Activity_Start ON Ar_Activity (ReportId, StartLocalTime);' : '';
  return `${SHARED}${own}${index}`;
}

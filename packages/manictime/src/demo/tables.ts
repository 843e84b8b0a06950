/** Report ids of timelines. They are arbitrary, as in real databases. */
export const REPORTS = { ComputerUsage: 9, Applications: 3, Documents: 4, Tags: 7 } as const;

const timelines = Object.entries(REPORTS).map(([name, id]) => `(${id}, 'ManicTime/${name}', 1)`);

/** What this server reads. The totals are empty: it needs them for days without activities only. */
export const TABLES = `
  CREATE TABLE Ar_Timeline (ReportId INTEGER PRIMARY KEY, SchemaName, EnvironmentId);
  INSERT INTO Ar_Timeline VALUES ${timelines.join(', ')};
  CREATE TABLE Ar_Environment (EnvironmentId, DeviceName, OsVersion, ManicTimeVersion, DotNetVersion);
  INSERT INTO Ar_Environment
    VALUES (1, 'MIA-PC', 'Microsoft Windows 11 Pro 10.0.26100', '2025.3.5.0', '.NET 8.0.14');
  CREATE TABLE Ar_Group (GroupId INTEGER PRIMARY KEY, ReportId, Name, Key, Color, GroupType);
  CREATE VIEW Ar_CommonGroup AS SELECT GroupId AS CommonId, Name, Key, Color, GroupType FROM Ar_Group;
  CREATE TABLE Ar_Activity (ReportId, ActivityId, Name, GroupId, CommonGroupId, RelatedActivityId,
    StartLocalTime, EndLocalTime, StartUtcTime, EndUtcTime, PRIMARY KEY (ReportId, ActivityId));
  CREATE INDEX Ar_Activity_Start ON Ar_Activity (ReportId, StartLocalTime);
  CREATE VIEW Ar_TimelineSummary AS
    SELECT ReportId, min(StartLocalTime) AS StartLocalTime, max(EndLocalTime) AS EndLocalTime
      FROM Ar_Activity GROUP BY ReportId;
  CREATE TABLE Ar_ApplicationByDay (Hour, CommonId, TotalSeconds);
  CREATE TABLE Ar_WebSiteByDay (Hour, CommonId, TotalSeconds);
  CREATE TABLE Ar_DocumentByDay (Hour, CommonId, TotalSeconds);`;

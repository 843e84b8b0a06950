/** For the benchmarks: the generator of data folders. */
export { writeDataFolder } from '../demo/demo-folder.ts';

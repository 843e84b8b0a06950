// For the README.
export { limitsOf } from '../summary.ts';
export { CLIENTS } from '../table.ts';

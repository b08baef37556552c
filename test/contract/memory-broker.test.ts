import { describeContract } from './broker-contract.ts';
import { openMemoryCluster } from './memory-cluster.ts';

describeContract('the memory broker', openMemoryCluster);

package engine

import (
	"time"

	dc "go.temporal.io/server/common/dynamicconfig"
)

// stickyCacheSize is how many workflows the process-wide cache of serve holds (0.03 MB each); worker processes set their
// own.
const stickyCacheSize = 500

// historyCacheSize is how many executions history keeps in memory: all that run at once by default, and as many more.
const historyCacheSize = 2000

// unlimited stands for a rate or count that is not the bottleneck: the limits of a shared cluster make no sense for one
// owner, whose queue already holds what may run at once.
const unlimited = 100_000

// queueWorkers is how many tasks of one history queue are under way at once.
const queueWorkers = 64

// tuning are the settings that differ from the server's defaults, which suit a cluster of many hosts and tenants.
var tuning = dc.StaticClient{
	// The queues are polled on notice; 20 polls a second would add 50 ms to each step.
	dc.TransferProcessorMaxPollRPS.Key():   1000,
	dc.TimerProcessorMaxPollRPS.Key():      200,
	dc.VisibilityProcessorMaxPollRPS.Key(): 200,

	// A queue has 512 goroutines by default, and replication, which there is none of, 640: their stacks are memory.
	dc.TransferProcessorSchedulerWorkerCount.Key():               queueWorkers,
	dc.TimerProcessorSchedulerWorkerCount.Key():                  queueWorkers,
	dc.MemoryTimerProcessorSchedulerWorkerCount.Key():            queueWorkers,
	dc.VisibilityProcessorSchedulerWorkerCount.Key():             queueWorkers,
	dc.ReplicationProcessorSchedulerWorkerCount.Key():            1,
	dc.ReplicationLowPriorityProcessorSchedulerWorkerCount.Key(): 1,

	// One partition: nothing is forwarded between partitions of one host, which is where slow outliers come from.
	dc.MatchingNumTaskqueueReadPartitions.Key():  1,
	dc.MatchingNumTaskqueueWritePartitions.Key(): 1,

	dc.EnableActivityEagerExecution.Key(): true,
	dc.EnableEagerWorkflowStart.Key():     true,

	dc.FrontendPersistenceMaxQPS.Key(): 10_000,
	dc.HistoryPersistenceMaxQPS.Key():  45_000,
	dc.MatchingPersistenceMaxQPS.Key(): 10_000,

	dc.FrontendRPS.Key():                                         unlimited,
	dc.FrontendMaxNamespaceRPSPerInstance.Key():                  unlimited,
	dc.HistoryRPS.Key():                                          unlimited,
	dc.MatchingRPS.Key():                                         unlimited,
	dc.FrontendMaxNamespaceVisibilityRPSPerInstance.Key():        200,
	dc.FrontendMaxConcurrentLongRunningRequestsPerInstance.Key(): unlimited,

	// A client's wait for an end is now and then not notified; it asks again after this.
	dc.HistoryLongPollExpirationInterval.Key(): time.Second,

	dc.WorkerStickyCacheSize.Key(): stickyCacheSize,

	// A run that waits has no open execution; those that closed need not stay in memory (30 KB each, 128,000 by default).
	dc.HistoryCacheHostLevelMaxSize.Key(): historyCacheSize,

	// There is no system worker: a parent closes its children itself.
	dc.EnableParentClosePolicyWorker.Key(): false,

	// This one calls home.
	dc.EnableServerVersionCheck.Key(): false,
}
